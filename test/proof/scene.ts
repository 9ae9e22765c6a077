import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type Devnet, startDevnet } from '../../devnet/src/index.ts';
import { compareWarehouses } from '../../src/run/evidence/compareWarehouses.ts';
import { atOneAddress } from '../cli/atOneAddress.ts';
import { type Captured, type FirnProcess, startFirn } from '../cli/firnProcess.ts';
import { verifyWhole } from '../publish/verify/verifyWhole.ts';
import { type StayingProcesses, stayingProcesses } from './stayingProcesses.ts';

/** A folder with a configuration, and the warehouse beside it. */
export interface Place {
  readonly folder: string;
  readonly warehouse: string;
  /** Starts `firn --quiet <args>` there as a process. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>, openFiles?: number): FirnProcess;
  /** Changes the text of `firn.yaml`. */
  configure(change: (text: string) => string): Promise<void>;
  /** Runs it to its end, in a process that stays for the next one. */
  firn(...args: string[]): Promise<Captured>;
  remove(): Promise<void>;
}

/**
 * How far a warehouse has come before it is hurt. All but `new` were published when the network's chains stood at an early moment; the
 * others went on when they stood at a later one, phase by phase.
 */
export type Stage = 'new' | 'published' | 'read' | 'built' | 'compared' | 'done';

const stages: Readonly<Record<Stage, { readonly before?: Stage; readonly command?: string }>> = {
  new: {},
  published: { before: 'new', command: 'run' },
  read: { before: 'published', command: 'sync' },
  built: { before: 'read', command: 'build' },
  compared: { before: 'built', command: 'reconcile' },
  done: { before: 'compared', command: 'publish' },
};

/** The network that warehouses read, and copies of unharmed warehouses. */
export interface Scene {
  /** The folder that it lies in. */
  readonly folder: string;
  /** Whether it is that of the tests, which try a case of each kind and do not publish where nothing is said of what is published. */
  readonly isShort: boolean;
  /** The network whose chains stand at the earlier moment. */
  readonly early: Devnet;
  /** The one whose chains stand at the later moment. */
  readonly late: Devnet;
  /** A warehouse at a stage, to be hurt. It reads the network at the later moment, or what answers at another address. */
  place(stage: Stage, url?: string): Promise<Place>;
  /** The one whose configuration lies in a folder. */
  at(folder: string): Place;
  /** The same once more, configuration and all. */
  copy(place: Place): Promise<Place>;
  /** Makes something once, however often it is asked for. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** January and a part of February: what is dropped by the month leaves something. */
const heads = { early: '22%', late: '24%' } as const;

/** One stream of each way to read, and no more history than two months need: a case is to take seconds. */
const streams = ({ p }: Devnet['ledger']) => ({
  'node/containers': { indexes: ['C/block', 'P/block'] },
  'node/evm_blocks': { blockchainIds: ['C'], from: '2026-01-28' },
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount', 'avgGps'], from: '2026-01-20' },
  'data/chains': {},
  'data/latest_transactions': { chainIds: ['43112'], from: '2026-01-30' },
  'data/primary_transactions': { blockchainIds: [p.blockchainId] },
});

const run = promisify(execFile);

/** @param parent folder that everything lies in */
export async function openScene(parent = tmpdir(), { isShort = false } = {}): Promise<Scene> {
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(join(parent, 'firn-proof-'));
  const early = await startDevnet({ head: heads.early });
  const late = await startDevnet({ head: heads.late, ledger: early.ledger });
  const staying = stayingProcesses();
  const made = new Map<string, Promise<unknown>>();
  let places = 0;

  const once: Scene['once'] = (key, make) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known as ReturnType<typeof make>;
  };

  const at = (folder: string) => placeAt(folder, staying);

  const configure = (folder: string, url: string) =>
    writeFile(
      join(folder, 'firn.yaml'),
      stringify({ warehouse: './warehouse', ...atOneAddress(url, streams(late.ledger)) }),
    );

  const template = (stage: Stage): Promise<string> =>
    once(`stage ${stage}`, async () => {
      const { before, command } = stages[stage];
      const folder = await copyOf(before === undefined ? undefined : await template(before));
      const place = at(folder);
      await configure(folder, stage === 'published' ? early.url : late.url);
      if (command !== undefined) expectEnd(await place.firn(command), command);
      return folder;
    });

  const copyOf = async (folder: string | undefined) => {
    const target = join(root, String(++places));
    // Hard links stay links, as they are in a warehouse.
    if (folder === undefined) await mkdir(target);
    else await run('cp', ['-a', folder, target]);
    return target;
  };

  return {
    folder: root,
    isShort,
    early,
    late,
    once,
    at,
    async place(stage, url = late.url) {
      const folder = await copyOf(await template(stage));
      await configure(folder, url);
      return at(folder);
    },
    copy: async ({ folder }) => at(await copyOf(folder)),
    async close() {
      staying.close();
      await Promise.all([early.close(), late.close()]);
      await rm(root, { recursive: true, force: true });
    },
  };
}

function placeAt(folder: string, staying: StayingProcesses): Place {
  const config = join(folder, 'firn.yaml');
  const whole = (args: readonly string[]) => ['--config', config, '--quiet', ...args];
  const start: Place['start'] = (args, env = {}, openFiles) =>
    startFirn(whole(args), { cwd: folder, env, ...(openFiles && { openFiles }) });
  return {
    folder,
    warehouse: join(folder, 'warehouse'),
    start,
    firn: (...args) => staying.run({ args: whole(args), folder }),
    configure: async (change) => writeFile(config, change(await readFile(config, 'utf8'))),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @throws where a command did not end as it must, with what it said */
export function expectEnd({ code, stdout, stderr }: Captured, what: string, ...codes: number[]): void {
  const allowed = codes.length > 0 ? codes : [0];
  if (!allowed.includes(code)) {
    throw new Error(
      `${what} ended with ${code}, not ${allowed.join(' or ')}: ${`${stdout}${stderr}`.trim().slice(-1500)}`,
    );
  }
}

/** What was found whole, by the names, sizes and times of its files: a copy that nobody has written into is whole, too. */
const foundWhole = new Set<string>();

/** @throws where what readers see is not whole; a warehouse of which nothing was published yet has nothing to be harmed */
export async function expectWhole({ warehouse }: Pick<Place, 'warehouse'>): Promise<void> {
  if (!existsSync(join(warehouse, 'analytics.duckdb'))) return;
  const files = await publishedFiles(warehouse);
  if (foundWhole.has(files)) return;
  const { failures } = await verifyWhole(warehouse);
  if (failures.length > 0) throw new Error(`What is published is harmed: ${JSON.stringify(failures.slice(0, 5))}`);
  foundWhole.add(files);
}

async function publishedFiles(warehouse: string): Promise<string> {
  const paths = (await readdir(warehouse, { recursive: true })).filter((path) => !path.startsWith('.state')).sort();
  const files = paths.map(async (path) => {
    const { size, mtimeNs } = await lstat(join(warehouse, path), { bigint: true });
    return `${path} ${size} ${mtimeNs}`;
  });
  return createHash('sha256')
    .update((await Promise.all(files)).join('\n'))
    .digest('hex');
}

/** @throws where a table of one has another row than that of the other */
export async function expectSameRows(one: Pick<Place, 'warehouse'>, other: Pick<Place, 'warehouse'>): Promise<void> {
  const tables = await compareWarehouses(one.warehouse, other.warehouse);
  const different = tables.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0);
  if (tables.length < 30) throw new Error(`Only ${tables.length} tables were compared.`);
  if (different.length > 0) throw new Error(`Rows differ: ${JSON.stringify(different)}`);
}
