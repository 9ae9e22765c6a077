import { catalogue, sources as declared } from '../../pipelines/index.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
import { syncResources } from '../../src/run/phases/runPhases.ts';
import { syncStreams } from '../../src/run/read/syncStreams.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { openSources } from '../../src/run/sources/openSources.ts';
import { hostileAnswers } from './hostileAnswers.ts';

/** What became of one answer. */
export interface Reading {
  readonly name: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly rows: number;
  readonly quarantined: number;
  /** MiB that the process has taken at most, since it began. */
  readonly peak: number;
}

// A process of its own, as large as what it reads makes it: `node readingProcess.js <url> <warehouse> <name of an answer>...`
const [url = '', folder = '', ...names] = process.argv.slice(2);
const streams = catalogue.filter(({ id }) => Object.values(hostileAnswers).some(({ stream }) => stream === id));
const warehouse = await openWarehouse({ folder, tables: streams.map(({ table }) => table), ...syncResources });
for (const name of names) {
  const { stream: id } = hostileAnswers[name] ?? {};
  const stream = streams.find((candidate) => candidate.id === id);
  if (!stream) throw new TypeError(`There is no answer ${name}.`);
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
    network: { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] },
    fetch: sources.fetch,
    runId: 'hostile',
    signal: new AbortController().signal,
  });
  await sources.close();
  const { code = null, message = null, rows = 0, quarantined = 0 } = result ?? {};
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ name, code, message, rows, quarantined, peak } satisfies Reading));
}
warehouse.close();
