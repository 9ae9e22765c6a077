import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transactionExports as service } from '../../pipelines/data-api/operations.ts';
import { catalogue, sources as declared } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { loadReferences } from '../../src/references/loadReferences.ts';
import type { ExportContext } from '../../src/run/exports/exportContext.ts';
import { loadExportRows } from '../../src/run/exports/loadExportRows.ts';
import { syncResources } from '../../src/run/phases/runPhases.ts';
import { syncMemory, syncStreams } from '../../src/run/read/syncStreams.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { openSources } from '../../src/run/sources/openSources.ts';
import { type HostileAnswer, hostileAnswers } from './hostileAnswers.ts';
import { type HostileFile, hostileFiles } from './hostileFiles.ts';

/** What became of one attack. */
export interface Reading {
  readonly name: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly rows: number;
  readonly quarantined: number;
  /** MiB that the process has taken at most, since it began. */
  readonly peak: number;
  /** CPU time that it took, in milliseconds. */
  readonly cpu: number;
}

type Outcome = Partial<Pick<Reading, 'code' | 'message' | 'rows' | 'quarantined'>>;

// A process of its own, as large as what it reads makes it: `node readingProcess.js <url> <warehouse> <name of an attack>...`
const [url = '', folder = '', ...names] = process.argv.slice(2);
const streams = catalogue.filter(({ id }) => Object.values(hostileAnswers).some(({ stream }) => stream === id));
const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const signal = new AbortController().signal;
const tables = tablesOf([...streams, service.operations, service.rows]);
const warehouse = await openWarehouse({ folder, tables, ...syncResources('4GB') });
warehouse.narrowTo(syncMemory(0));
for (const name of names) {
  const before = process.cpuUsage();
  const { code = null, message = null, rows = 0, quarantined = 0 } = await outcomeOf(name);
  const { user, system } = process.cpuUsage(before);
  const peak = process.resourceUsage().maxRSS / 1024;
  const cpu = (user + system) / 1000;
  console.log(JSON.stringify({ name, code, message, rows, quarantined, peak, cpu } satisfies Reading));
}
warehouse.close();

function outcomeOf(name: string): Promise<Outcome> {
  const [answer, file] = [hostileAnswers[name], hostileFiles[name]];
  if (answer) return readAnswer(name, answer);
  if (file) return file.as === 'export' ? readExport(name, file) : readReference(file);
  throw new TypeError(`There is no attack ${name}.`);
}

async function readAnswer(name: string, { stream: id }: HostileAnswer): Promise<Outcome> {
  const stream = streams.find((candidate) => candidate.id === id);
  if (!stream) throw new TypeError(`There is no stream ${id}.`);
  const source = { url: `${url}/${encodeURIComponent(name)}` };
  const settings = settingsSchema(declared).parse({
    warehouse: folder,
    sources: { node: source, data: source },
    pipelines: {},
  });
  const parameters = stream.way === 'range' ? { indexes: ['X/tx'], decode: false } : { chainIds: ['43112'], from: 0 };
  const sources = await openSources({ settings, sources: declared, retry: { attempts: 1 } });
  const [result] = await syncStreams({
    warehouse,
    planned: [{ pipeline: 'hostile', stream, parameters: stream.parameters.parse(parameters) }],
    network,
    fetch: sources.fetch,
    runId: 'hostile',
    signal,
  });
  await sources.close();
  return result ?? {};
}

async function readExport(name: string, { bytes }: HostileFile): Promise<Outcome> {
  const file = join(folder, 'export');
  await writeFile(file, bytes());
  const context = { service, network, runId: 'hostile', signal } as unknown as ExportContext;
  const options = { exportId: name, operationId: `${performance.now()}`, file, sha256: '', maxBytes: 1e9 };
  return loadExportRows(context, warehouse, options).catch((error: unknown) => {
    if (error instanceof FirnError) return { code: error.code, message: error.message };
    throw error;
  });
}

async function readReference({ bytes }: HostileFile): Promise<Outcome> {
  await mkdir(join(folder, 'refs'), { recursive: true });
  await writeFile(join(folder, 'refs', 'laid.csv'), bytes());
  // As much memory as a build may take, since builds load these files.
  await warehouse.run(`SET memory_limit = '1GB'`);
  const [problem] = await loadReferences(warehouse);
  return problem ? { code: 'contract', message: problem.message } : {};
}
