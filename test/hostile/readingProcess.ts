import { readFileSync, writeFileSync } from 'node:fs';
import { catalogue } from '../../pipelines/index.ts';
import { openWarehouse } from '../../src/load/warehouse.ts';
import { openSources } from '../../src/run/openSources.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { syncResources } from '../../src/run/syncResources.ts';
import { syncStreams } from '../../src/run/syncStreams.ts';
import { tablesOf } from '../../src/run/tablesOf.ts';
import { hostileAnswers } from './hostileAnswers.ts';

function forget() {
  globalThis.gc?.();
  writeFileSync('/proc/self/clear_refs', '5');
  process.stderr.write(`rss ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} `);
}
function peak() {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

/** What became of one answer. */
export interface Reading {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly quarantined: number;
  readonly seconds: number;
  /** MiB of the process at most, since it began. */
  readonly peak: number;
}

// A process of its own: reads hostile answers one after the other, and says after each how large it has been.
// `node readingProcess.js <url> <folder> <name>...`
const [url = '', folder = '', ...names] = process.argv.slice(2);
const streams = catalogue.filter(({ id }) => Object.values(hostileAnswers).some(({ stream }) => stream === id));
const warehouse = await openWarehouse({ folder, tables: tablesOf(streams), ...syncResources });
for (const [index, name] of ['honest', ...names].entries()) {
  const id = hostileAnswers[name]?.stream ?? 'data/latest_transactions';
  const stream = streams.find((candidate) => candidate.id === id) as (typeof streams)[number];
  const at = `${url}/${encodeURIComponent(name)}`;
  const sources = { node: { url: at }, data: { url: at } };
  const settings = settingsSchema.parse({ warehouse: folder, sources, pipelines: {} });
  const opened = await openSources({ settings, retry: { attempts: 2, baseMs: 1 } });
  const parameters = id === 'node/containers' ? { indexes: ['X/tx'] } : { chainIds: [String(index + 1)], from: 0 };
  forget();
  const begun = performance.now();
  const [result] = await syncStreams({
    warehouse,
    planned: [{ pipeline: 'hostile', stream, parameters: stream.parameters.parse(parameters) }],
    network: { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] },
    fetch: opened.fetch,
    runId: 'hostile',
    signal: new AbortController().signal,
  });
  await opened.close();
  const reading: Reading = {
    name,
    code: result?.code,
    message: result?.message,
    quarantined: result?.quarantined ?? 0,
    seconds: (performance.now() - begun) / 1000,
    peak: peak(),
  };
  console.log(JSON.stringify(reading));
}
warehouse.close();
