import { benchDecoding } from './decodeBlocks.ts';
import { fetchPages, fetchRanges } from './fetchAlone.ts';
import { type Load, loadStream } from './loadStream.ts';
import { median } from './median.ts';
import { benchMetricsYear } from './metricsYear.ts';
import { startPageServer } from './pageServer.ts';
import { peakMemory } from './peakMemory.ts';
import { benchWholeLedger } from './wholeLedger.ts';

const rounds = 5;
const rate = ({ rows, seconds }: Load) => rows / seconds;

/** Runs two sides in turn, so that a slow moment of the machine meets both, and prints the medians and their ratio. */
async function compare(
  title: string,
  aim: string,
  own: () => Promise<Load>,
  alone: () => Promise<Load>,
): Promise<void> {
  const rates: { own: number[]; alone: number[] } = { own: [], alone: [] };
  for (let round = 0; round < rounds; round++) {
    rates.alone.push(rate(await alone()));
    rates.own.push(rate(await own()));
  }
  const [ours, theirs] = [median(rates.own), median(rates.alone)];
  console.log(
    `${title}: ${Math.round(ours)} rows/s, undici + JSON.parse alone ${Math.round(theirs)} rows/s, ratio ${(ours / theirs).toFixed(2)} (${aim})`,
  );
}

const rows = 100_000;
const server = await startPageServer(rows);
await compare(
  'paged transactions into DuckDB',
  'at least 0.4, aim 0.6',
  () => loadStream(server.url, 'data/latest_transactions', { chainIds: ['43114'], from: '0' }),
  () => fetchPages(server.url),
);
await compare(
  'containers, stored',
  'at least 0.5',
  () => loadStream(server.url, 'node/containers', { indexes: ['C/block'], decode: false }),
  () => fetchRanges(server.url, rows, 4),
);
await server.close();

const print = (line: string) => console.log(line);
await benchDecoding(print);
await benchWholeLedger(print);
const [one, five] = [await peakMemory(1_000_000), await peakMemory(5_000_000)];
print(
  `peak memory: ${Math.round(one)} MiB at 1 M rows, ${Math.round(five)} MiB at 5 M rows, ratio ${(five / one).toFixed(2)} (at most 640 MiB, at most 1.2)`,
);
await benchMetricsYear(print);
