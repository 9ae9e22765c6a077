import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actions, catalogue, sources } from '../../pipelines/index.ts';
import { reportContext } from '../../src/cli/reportContext.ts';
import { withPublished } from '../../src/cli/withPublished.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { type Stream, tablesOf } from '../../src/core/stream.ts';
import type { Table } from '../../src/core/table.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
import { openReader } from '../../src/publish/openReader.ts';
import { assessHealth } from '../../src/report/assessHealth.ts';
import { readRelations } from '../../src/report/readRelations.ts';
import { readStatus } from '../../src/report/readStatus.ts';
import { sourcesOf } from '../../src/run/openProject.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import { phases, type RunReport } from '../../src/run/records/runReport.ts';
import { type Settings, settingsSchema } from '../../src/run/settings.ts';
import { placeState } from '../placeState.ts';
import { type EffectPlan, hookEffects } from './effects.ts';
import { type FaultName, Faults } from './faults.ts';
import { Network } from './network.ts';
import { judge, type Wanted } from './oracle.ts';
import { createRandom } from './random.ts';
import { Services } from './services.ts';
import { SimClock } from './simClock.ts';
import { chainId, World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  /** Hours from one run to the next. */
  readonly everyHours: number;
  /** Share of the seeds that build and publish; 0.02 where it is left out, for they cost ten times as much. */
  readonly publishing?: number | undefined;
  /** Ids of streams that every seed reads, beside those that it draws. */
  readonly streams?: readonly string[] | undefined;
  /** Told what happens, for a closer look at a seed. */
  readonly tell?: (line: string) => void;
}

export interface Simulated {
  readonly hits: ReadonlyMap<FaultName, number>;
  readonly runs: number;
  readonly requests: number;
  readonly published: number;
}

interface RunPlan extends EffectPlan {
  /** When the process is asked to end. */
  readonly stopAt?: number;
}

const hourMs = 3_600_000;
/** From one effect on all fail. */
const manyFailures = 10_000;
/** Where there is a disk in memory nothing waits for one that turns. */
const memory = '/dev/shm';
const start = Date.UTC(2026, 0, 20);
/** No block is older. */
const longAgo = Date.UTC(2026, 0, 1);
const configured = settingsSchema(sourcesOf(catalogue));
/** Streams that the simulated world has something for. */
export const streamIds = [
  'node/evm_blocks',
  'data/latest_transactions',
  'data/address_transactions',
  'data/address_internal_transactions',
  'data/address_erc721_transfers',
  'data/validators',
  'metrics/chain_metrics',
  'data/transaction_details',
  'node/containers',
  'data/primary_transactions',
  'data/utxos',
] as const;

/**
 * Lives through days of hourly runs of one service and one node, with all that a seed lets go wrong, and then through hours in which nothing
 * does.
 *
 * @throws Error that says what was not as it must be
 */
export async function simulate(options: SimulationOptions): Promise<Simulated> {
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'firn-sim-'));
  const simulation = new Simulation(options, join(folder, 'warehouse'));
  try {
    return await simulation.live();
  } finally {
    simulation.end();
    await rm(folder, { recursive: true, force: true });
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #folder: string;
  readonly #random;
  readonly #clock = new SimClock(start);
  readonly #faults: Faults;
  readonly #world: World;
  readonly #services: Services;
  readonly #network: Network;
  readonly #effects;
  /** The moment from which histories are wanted. */
  readonly #from: number;
  readonly #configured = { addresses: 1, hours: false, traces: false, pageSize: 5 };
  /** Whether the P-Chain is read as a list of the latest, and not by addresses. */
  readonly #ofAllOwners: boolean;
  /** A few: what a seed costs are statements. */
  readonly #streams: Set<string>;
  /** Whether runs build and publish now and then, for which all tables there are must be. */
  readonly #publishes: boolean;
  readonly #catalogue: readonly Stream[];
  readonly #tables: readonly Table[];
  /** Effects of runs so far, by what they were to do: where a crash is to strike. */
  #usual = 100;
  #published = 0;
  #runs = 0;
  #requests = 0;

  constructor(options: SimulationOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = createRandom(options.seed);
    this.#faults = new Faults(this.#random.fork());
    this.#world = new World(this.#random.fork(), start);
    const { chance, shuffle, between } = this.#random;
    this.#publishes = chance(options.publishing ?? 0.02);
    this.#from = this.#publishes || chance(0.6) ? longAgo : start + between(0, 24 * 60) * 60_000;
    this.#ofAllOwners = chance(0.5);
    this.#configured.pageSize = between(2, 8);
    // Half of the faults are a node's.
    const drawn = shuffle([...streamIds, 'node/evm_blocks', 'node/containers']).slice(0, between(1, 3));
    this.#streams = new Set(this.#publishes ? streamIds : [...(options.streams ?? []), ...drawn]);
    this.#catalogue = this.#publishes
      ? catalogue
      : catalogue.filter(({ id }) => (streamIds as readonly string[]).includes(id));
    this.#tables = tablesOf(this.#publishes ? [...catalogue, ...actions] : this.#catalogue);
    this.#services = new Services(this.#world, this.#faults, this.#random.fork(), () => this.#clock.true);
    this.#network = new Network(this.#services, this.#faults, this.#random.fork(), this.#clock);
    this.#effects = hookEffects(this.#clock, () =>
      cp(folder, this.#left, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      }),
    );
    this.#network.isDead = () => this.#effects.isDead;
    this.#network.onRequest = () => {
      if (this.#faults.hit('growthWhileRead')) this.#grow(1);
    };
  }

  end(): void {
    this.#effects.end();
    this.#effects.remove();
  }

  async live(): Promise<Simulated> {
    const { days, everyHours } = this.#options;
    // A warehouse that is made under way costs a quarter of a second.
    if (!this.#random.chance(0.05)) await placeState(this.#folder, this.#tables);
    for (let hour = 0; hour < days * 24; hour += everyHours) {
      this.#happen(everyHours);
      const whole = this.#publishes && this.#random.chance(0.3);
      await this.#run(whole ? 'run' : 'sync', this.#plan());
    }
    await this.#recover();
    return { hits: this.#faults.hits, runs: this.#runs, requests: this.#requests, published: this.#published };
  }

  /** What happens between two runs. */
  #happen(hours: number): void {
    const [faults, random, clock, world] = [this.#faults, this.#random, this.#clock, this.#world];
    clock.pass(hours * hourMs);
    this.#grow(random.pick([0, 1, 2, 5]) + (random.chance(0.06) ? random.between(20, 80) : 0));
    if (random.chance(0.3)) world.changeValidators();
    if (faults.hit('serviceRestart')) this.#services.restart();
    if (faults.hit('outage')) this.#network.outageUntil = clock.true + random.between(1, 300) * 60_000;
    if (faults.hit('clockJump')) {
      clock.skew = random.pick([48, -48, 0]) * hourMs;
      this.#network.forgetPauses(0);
    }
    if (faults.hit('changedConfiguration')) this.#configure();
    this.#asItIs();
    const services = this.#services;
    const { head, containers } = world;
    const lag = () => {
      services.nodeChain = world.blocks.slice(0, random.between(1, head + 1));
      services.index.containers = containers.slice(0, random.between(0, containers.length));
    };
    // Nothing is settled twice: another node lacks the newest blocks that were read, or has others in their place.
    if (faults.hit('rolledBack')) lag();
    else if (this.#readTo > 0 && faults.hit('reorganised'))
      services.nodeChain = world.fork(random.between(1, this.#readTo), random.between(1, 40), clock.true);
    else if (this.#readIndexTo > 0 && faults.hit('reorganised'))
      services.index.containers = world.forkIndex(
        random.between(0, this.#readIndexTo - 1),
        random.between(1, 40),
        clock.true,
      );
    else if (faults.hit('bootstrapping')) {
      services.bootstrapping = { chain: random.pick(['P', 'C']), status: random.pick([404, 503, undefined]) };
      // What it answers already is what it has come to.
      lag();
    }
  }

  /** The node is bootstrapped, and has what is settled. */
  #asItIs(): void {
    this.#services.bootstrapping = undefined;
    this.#services.nodeChain = undefined;
    this.#services.index.containers = undefined;
  }

  /** A block of which the warehouse has the row, and of all below it. */
  #readTo = 0;
  /** As many containers are read. */
  #readIndexTo = 0;

  #grow(blocks: number): void {
    // The times of blocks never fall, which audits hold against what is built, and by which a date becomes a height.
    const isLate = !this.#publishes && this.#from === longAgo && this.#faults.hit('datedIntoPast');
    this.#world.grow(this.#clock.true, blocks, isLate);
  }

  #configure(): void {
    const { addresses } = this.#configured;
    const changes: (() => void)[] = [
      () => Object.assign(this.#configured, { addresses: Math.min(3, addresses + 1) }),
      () => Object.assign(this.#configured, { hours: true }),
      () => Object.assign(this.#configured, { traces: true }),
      () => this.#streams.add(this.#random.pick(streamIds)),
      () => Object.assign(this.#configured, { pageSize: this.#random.between(1, 20) }),
    ];
    this.#random.pick(changes)();
  }

  get #wanted(): Wanted {
    const { addresses, hours, traces } = this.#configured;
    return {
      streams: this.#streams,
      from: this.#from / 1000,
      addresses: this.#world.accounts.slice(0, addresses),
      owners: this.#world.owners.slice(0, addresses),
      ofAllOwners: this.#ofAllOwners,
      intervals: hours ? ['day', 'hour'] : ['day'],
      traces,
    };
  }

  get #settings(): Settings {
    const { addresses, owners, ofAllOwners, intervals, traces } = this.#wanted;
    const { pageSize } = this.#configured;
    const from = new Date(this.#from).toISOString();
    const lists = { chainIds: [chainId], addresses, pageSize, from };
    const parameters: Record<(typeof streamIds)[number], object> = {
      'node/evm_blocks': { blockchainIds: ['C'], traces },
      'node/containers': { indexes: ['P/block'], decode: false },
      'data/latest_transactions': { chainIds: [chainId], from, pageSize },
      'data/address_transactions': lists,
      'data/address_internal_transactions': lists,
      'data/address_erc721_transfers': lists,
      'data/primary_transactions': {
        blockchainIds: ['p-chain'],
        from,
        pageSize,
        ...(!ofAllOwners && { addresses: owners }),
      },
      'data/utxos': { blockchainIds: ['p-chain'], addresses: owners, pageSize },
      'data/validators': { pageSize: 3 },
      'metrics/chain_metrics': {
        chainIds: [chainId],
        metrics: ['txCount'],
        timeIntervals: intervals,
        from: '2026-01-01',
      },
      'data/transaction_details': {
        chainIds: [chainId],
        streams: streamIds.flatMap((id) => /^data\/(address.*)/.exec(id)?.[1] ?? []),
      },
    };
    const streams = Object.fromEntries(Object.entries(parameters).filter(([id]) => this.#streams.has(id)));
    return configured.parse({
      warehouse: this.#folder,
      sources: {
        node: { url: 'http://node.sim' },
        data: { url: 'http://data.sim', network: 'fuji' },
        metrics: { url: 'http://metrics.sim' },
      },
      pipelines: { main: { streams } },
    });
  }

  #plan(): RunPlan {
    const [faults, random] = [this.#faults, this.#random];
    const somewhere = () => random.between(1, this.#usual);
    if (faults.draw('stopped')) return { stopAt: random.between(1, 60) };
    if (faults.draw('crash')) return { crashAt: somewhere() };
    if (faults.draw('diskFull')) return { failAt: somewhere(), failures: manyFailures, fullDisk: true };
    if (faults.draw('failedWrite'))
      return {
        failAt: somewhere(),
        failures: random.between(1, 3),
        fullDisk: random.chance(0.5),
        failsAfter: random.chance(0.3),
      };
    return {};
  }

  get #left(): string {
    return `${this.#folder}.left`;
  }

  /** One run of the program, however it ends; what is left is looked at. Gives its report; nothing where it was killed or refused. */
  async #run(command: 'run' | 'sync', plan: RunPlan = {}): Promise<RunReport | undefined> {
    this.#runs++;
    const begun = this.#clock.true;
    const settled = this.#services.nodeChain ? 0 : this.#world.head;
    const indexed = this.#services.index.containers ? 0 : this.#world.containers.length;
    const stop = new AbortController();
    const settings = this.#settings;
    if (plan.stopAt !== undefined) this.#clock.after(plan.stopAt * 500, () => stop.abort('SIGTERM'));
    this.#network.requests = 0;
    this.#effects.begin(this.#folder, {
      ...plan,
      ...(command === 'run' && { beside: (effect) => this.#readMeanwhile(effect) }),
    });
    let report: RunReport | undefined;
    let thrown: unknown;
    try {
      report = await runPhases({
        settings,
        catalogue: this.#catalogue,
        ...(this.#publishes && { actions }),
        phases: command === 'run' ? phases : ['sync'],
        signal: stop.signal,
        log: { debug() {}, warn() {} },
        outside: { clock: this.#clock, random: () => this.#random.next(), connect: this.#network.connect },
      });
    } catch (error) {
      thrown = error;
    }
    const isDead = this.#effects.isDead;
    const [effects, failed] = [this.#effects.count, this.#effects.failed];
    const leftOpen = this.#effects.end();
    if (leftOpen.length > 0) throw this.#wrong(`the run left files open: ${leftOpen.join(', ')}`);
    if (isDead) this.#faults.count('crash');
    if (failed > 0) this.#faults.count(plan.failures === manyFailures ? 'diskFull' : 'failedWrite');
    if (stop.signal.aborted) this.#faults.count('stopped');
    this.#requests += this.#network.requests;
    if (isDead) await this.#leave();
    await this.#bury();
    if (isDead) this.#network.forgetPauses(this.#clock.true);
    else if (thrown !== undefined && !(thrown instanceof FirnError))
      throw this.#wrong('the run ended with an error that is none of its own', thrown);
    else if (!plan.failAt && !plan.stopAt && effects > 20) this.#usual = effects;
    const took = this.#clock.true - begun;
    this.#options.tell?.(
      `${new Date(begun).toISOString()} ${command} ${JSON.stringify(plan)}: ${isDead ? 'killed' : (report?.exitCode ?? String(thrown))}, ${effects} effects, ${failed} failed, ${this.#network.requests} requests, ${Math.round(took / 1000)} s, head ${this.#world.head}` +
        (report?.partitions ?? [])
          .filter(({ outcome }) => outcome !== 'done')
          .map(
            ({ stream, partition, outcome, message }) => `\n    ${stream} (${partition}) ${outcome} ${message ?? ''}`,
          )
          .join('') +
        (report?.problems ?? []).map(({ message }) => `\n    ${message}`).join('') +
        [...new Set(report?.heldBack.map(({ audit }) => audit))]
          .map((audit) => `\n    ${audit} holds relations back`)
          .join('') +
        (report?.audits ?? [])
          .filter(({ failedRows }) => failedRows > 0)
          .map(({ name, example }) => `\n    ${name} fails: ${example}`)
          .join(''),
    );
    if (took > 12 * hourMs) throw this.#wrong(`a run took ${took / hourMs} hours`);
    if (this.#network.offences[0]) throw this.#wrong(this.#network.offences.join('; '));
    if (report?.published) this.#published++;
    if (command === 'run') this.#isPublished = [0, 3, 4].includes(report?.exitCode ?? 1);
    const isRead = (id: string) =>
      report?.partitions.some(({ stream, outcome }) => stream === id && outcome === 'done');
    // Of a block in quarantine nobody can tell whether another one in its place is the right one at last.
    if (!isDead && report?.exitCode === 0) {
      if (isRead('node/evm_blocks')) this.#readTo = Math.max(this.#readTo, settled);
      if (isRead('node/containers')) this.#readIndexTo = Math.max(this.#readIndexTo, indexed);
    }
    await this.#checkStatus(isDead, report, failed);
    return isDead ? undefined : report;
  }

  /** What lies on the disk is what the killed process left. */
  async #leave(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await rename(this.#left, this.#folder);
  }

  /** The process is gone: its number is nobody's any more. */
  async #bury(): Promise<void> {
    const state = join(this.#folder, '.state');
    const runs = join(state, 'runs');
    const files = [join(state, 'run.json'), ...(await readdir(runs).catch(() => [])).map((name) => join(runs, name))];
    for (const file of files) {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text !== undefined) await writeFile(file, text.replaceAll(`"pid":${process.pid},`, `"pid":${nobody},`));
    }
    // Hours pass until the next run, which the system's clock does not know.
    await utimes(join(state, 'holder.json'), 0, 0).catch(() => {});
  }

  /** `status` as it is now, held against what is known of the run. */
  async #checkStatus(isDead: boolean, report: RunReport | undefined, failedWrites: number): Promise<void> {
    const configured = { settings: this.#settings, registry: { sources, catalogue, actions } };
    const context = await reportContext(configured);
    // Killed before it could say that it is there.
    if (context.runs.length === 0) return;
    const data = await withPublished(configured, async (reader, known) =>
      readStatus(reader, await readRelations(reader), { ...known, now: this.#clock.now() }),
    );
    const health = assessHealth(data);
    const told = data.runs[0];
    if (data.running) throw this.#wrong('status says that a run goes on');
    // A disk that is full cannot keep how a run ended; nor whether it began.
    if (failedWrites > 0) return;
    if (isDead) {
      if (told?.exitCode === null && health.exitCode === 0)
        throw this.#wrong('status finds nothing after a run was killed');
      return;
    }
    if (!report) return;
    if (told?.runId !== report.runId || told.exitCode !== report.exitCode)
      throw this.#wrong(`status tells of a run that ended with ${told?.exitCode}, it ended with ${report.exitCode}`);
    if ((data.unresolved.records ?? 0) !== (report.unresolved?.records ?? 0))
      throw this.#wrong('status counts other records in quarantine than there are');
    // A sync does not make up for a run that did not publish.
    const isKnown = (kind: string) =>
      kind === 'stale' || kind === 'mismatch' || (kind === 'failed' && !this.#isPublished);
    if (report.exitCode === 0 && !health.findings.every(({ kind }) => isKnown(kind)))
      throw this.#wrong(`status finds something after a run that ended with 0: ${health.findings[0]?.sentence}`);
    if (![0, 130, 143].includes(report.exitCode) && health.exitCode === 0)
      throw this.#wrong(`status finds nothing after a run that ended with ${report.exitCode}`);
  }

  /** Whether the last run that was to publish did so. */
  #isPublished = true;

  /** A reader between effects of a publish sees one version, whole. */
  async #readMeanwhile(effect: number): Promise<void> {
    if (effect % 23 === 0) await this.#checkReader();
  }

  #newest = { version: 0, blocks: 0 };

  async #checkReader(): Promise<void> {
    const reader = await openReader(this.#folder).catch((error: unknown) => {
      if (error instanceof FirnError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (!reader) return;
    try {
      // Before the first block is read there is no table of blocks; containers and transactions tell of some until then.
      if (!(await readRelations(reader)).has('raw.node_evm_blocks')) return;
      const [row] = await reader.query<Record<string, bigint>>(
        `SELECT (SELECT max("version") FROM firn.published)::BIGINT AS "version", (SELECT count(*) FROM raw.node_evm_blocks) AS blocks,
           (SELECT coalesce(max(number) + 1 - min(number), 0) FROM raw.node_evm_blocks)::BIGINT AS span, (SELECT count(*) FROM mart.fct_block WHERE source = 'node') AS built,
           (SELECT count(*) FROM raw.node_evm_transactions) AS transactions, (SELECT count(*) FROM raw.node_evm_receipts) AS receipts`,
      );
      if (!row) throw this.#wrong('the reader database is empty');
      const { version, blocks, span, built, transactions, receipts } = row;
      // Where the first block is in quarantine the others have no gap.
      if (blocks !== span || built !== blocks || transactions !== receipts)
        throw this.#wrong(
          `version ${version} is not whole: ${blocks} blocks of ${span}, ${built} built, ${transactions} transactions, ${receipts} receipts`,
        );
      if (Number(version) < this.#newest.version || Number(blocks) < this.#newest.blocks)
        throw this.#wrong(`version ${version} goes back behind ${this.#newest.version}`);
      this.#newest = { version: Number(version), blocks: Number(blocks) };
    } finally {
      reader.close();
    }
  }

  /** Nothing goes wrong any more: all that there is must be there once. */
  async #recover(): Promise<void> {
    this.#faults.areOn = false;
    this.#asItIs();
    this.#clock.skew = 0;
    // The longest pause that a server can ask for is over.
    this.#clock.pass(26 * hourMs);
    let last: RunReport | undefined;
    for (let runs = 0; runs < 10; runs++) {
      last = await this.#run('sync');
      if (last?.partitions.every(({ outcome, behind }) => outcome === 'done' && !behind)) break;
      this.#clock.pass(hourMs);
    }
    const bad = last?.partitions.find(({ outcome, behind }) => outcome !== 'done' || behind);
    // What an audit held back is given free by the next build.
    const isFine = last && ([0, 4].includes(last.exitCode) || (last.exitCode === 3 && last.heldBack.length > 0));
    if (!last || bad || !isFine)
      throw this.#wrong(
        `nothing is wrong any more, and a run still ends with ${last?.exitCode}: ${bad ? `${bad.stream} (${bad.partition}): ${bad.message ?? `${bad.behind} behind`}` : JSON.stringify(last?.problems)}`,
      );
    await this.#hold();
    this.#clock.pass(hourMs);
    const again = await this.#run('sync');
    const rows = (again?.partitions ?? []).filter((partition) => partition.rows > 0);
    if (rows[0])
      throw this.#wrong(`nothing is new, and ${rows[0].stream} (${rows[0].partition}) brings ${rows[0].rows} rows`);
    if (this.#publishes) {
      const report = await this.#run('run');
      if (!report?.published || ![0, 4].includes(report.exitCode))
        throw this.#wrong(
          `a run without faults ends with ${report?.exitCode}, or publishes nothing: ${JSON.stringify(report?.problems)}`,
        );
      const alarm = report.audits.find(({ failedRows }) => failedRows > 0);
      if (alarm) throw this.#wrong(`nothing is wrong any more, and ${alarm.name} fails: ${alarm.example}`);
      await this.#checkReader();
      if (this.#newest.blocks !== this.#world.blocks.length) throw this.#wrong('readers do not see all blocks');
    }
  }

  /** Holds the state against the world. */
  async #hold(): Promise<void> {
    const warehouse = await openWarehouse({ folder: this.#folder, tables: this.#tables });
    try {
      const wrong = await judge((sql) => warehouse.query(sql), this.#world, this.#wanted);
      if (wrong.length > 0) throw this.#wrong(wrong.join('\n'));
    } finally {
      warehouse.close();
    }
  }

  #wrong(what: string, cause?: unknown): Error {
    const { seed, days, everyHours, publishing, streams } = this.#options;
    const share = publishing === undefined ? '' : ` --publishing ${publishing}`;
    const always = streams === undefined ? '' : ` --streams ${streams.join(',')}`;
    const again = `npm run sim -- --seed ${seed} --days ${days} --every ${everyHours}${share}${always}`;
    return new Error(`${what}\nAgain: ${again}`, { cause });
  }
}

/** No process has this number: it is above the highest that systems give. */
const nobody = 2 ** 31 - 1;
