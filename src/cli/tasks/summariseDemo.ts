import { join, relative } from 'node:path';
import { groupBy } from '../../core/groupBy.ts';
import { openReader, type Reader } from '../../publish/reader/openReader.ts';
import { countText, plural } from '../../report/texts/numberText.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import { demoDocument } from '../json/otherDocuments.ts';
import { withReader } from '../open/withReader.ts';
import type { Console } from '../terminal/console.ts';
import { requestsOf } from '../text/runLine.ts';
import { textTable } from '../text/textTable.ts';
import { type MatrixCount, verdictMatrix } from '../text/verdictMatrix.ts';

/** Series that do not simply agree, the worst first, each with its first bucket. */
const liesSql = `
  SELECT verdict, max(variant) AS variant, chain_id, metric, time_interval, count(*)::INTEGER AS buckets, min(bucket)::DATE::VARCHAR AS bucket,
         min_by(CASE own_denominator WHEN 1 THEN own_numerator::VARCHAR ELSE own_value::VARCHAR END, bucket) AS own, min_by(served_text, bucket) AS served
  FROM mart.reconciliation
  WHERE verdict IN ('differs', 'served_missing', 'served_empty', 'served_week_underfilled', 'offset_constant', 'scale_match', 'variant_match', 'equal_rounded')
  GROUP BY verdict, chain_id, metric, time_interval
  ORDER BY verdict <> 'differs', verdict, chain_id, metric, time_interval`;

/** Says what the runs of a demo read, how the metrics compare, and what lies in its folder. */
export async function summariseDemo(console: Console, folder: string, reports: readonly RunReport[]): Promise<void> {
  const { tables, counts, lies } = await withReader(openReader(folder), readDemo);
  const read = tables.map(({ name, rows, children }) => [name, Number(rows), Number(children)]);
  console.print(`\n${textTable(['stream', 'rows', 'child rows'], read)}`);
  for (const [chain, own] of groupBy(counts, ({ chain_id }) => chain_id))
    console.print(`\nChain ${chain}: recomputed against served, buckets\n${verdictMatrix(own)}`);
  for (const lie of lies) console.print(lieText(lie));
  const requests = reports.reduce((sum, report) => sum + requestsOf(report), 0);
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  console.print(`\n${countText(requests)} requests in ${seconds.toFixed(1)} s.\n${madeText(folder)}`);
  console.data(demoDocument, {
    folder,
    runs: reports,
    verdicts: counts.map(({ chain_id: chainId, time_interval: interval, metric, verdict, buckets }) => {
      return { chainId, metric, interval, verdict, buckets };
    }),
  });
}

const readDemo = async (reader: Reader) => ({
  tables: await reader.query<{ name: string; rows: bigint; children: bigint }>(
    `SELECT stream AS name, sum(rows_written - child_rows_written)::BIGINT AS "rows", sum(child_rows_written)::BIGINT AS children
     FROM firn.load GROUP BY stream ORDER BY stream`,
  ),
  counts: await reader.query<MatrixCount>(
    `SELECT chain_id, metric, time_interval, verdict, count(*) AS buckets FROM mart.reconciliation
     GROUP BY chain_id, metric, time_interval, verdict ORDER BY chain_id, metric, time_interval, verdict`,
  ),
  lies: await reader.query<Record<string, unknown>>(liesSql),
});

const lieText = (lie: Record<string, unknown>): string =>
  `${lie['verdict']}${lie['variant'] ? ` (${lie['variant']})` : ''}: ${lie['metric']} of chain ${lie['chain_id']}, ` +
  `${plural(Number(lie['buckets']), `${lie['time_interval']} bucket`)} from ${lie['bucket']}: own ${lie['own']}, served ${lie['served']}`;

/** What lies in the folder, and what to do with it. */
function madeText(folder: string): string {
  const at = relative(process.cwd(), folder) || '.';
  return [
    `Report    ${join(at, 'report.html')}`,
    `Database  ${join(at, 'analytics.duckdb')}`,
    `Parquet   ${join(at, 'parquet')}`,
    `\nTry next (any DuckDB client opens it):`,
    `  SELECT * FROM mart.metric WHERE metric = 'txCount' AND time_interval = 'day' ORDER BY bucket;`,
    `  SELECT verdict, count(*) FROM mart.reconciliation GROUP BY verdict;`,
    `  SELECT stream, max(committed_at), sum(rows_written - child_rows_written) FROM firn.load GROUP BY stream;`,
  ].join('\n');
}
