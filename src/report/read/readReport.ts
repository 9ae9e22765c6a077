import { FirnError } from '../../core/firnError.ts';
import { meant } from '../../core/input/meant.ts';
import { literal } from '../../core/text/sqlText.ts';
import { type ToPaste, toPaste } from '../../core/text/toPaste.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { Reader } from '../../publish/reader/openReader.ts';
import { readGaps } from '../../publish/verify/knownGaps.ts';
import { metricsOf } from '../../transform/models/metricsOf.ts';
import type { Model } from '../../transform/models/model.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { contradictionsSql } from '../../transform/reconcile/contradictionsSql.ts';
import type { MetricFacts } from '../metricIndex.ts';
import type { CoverageLevel, PlottedSeries, ReportData, VerdictCount, VerdictExample } from '../reportData.ts';
import { isExplained, verdicts } from '../verdicts/verdictFacts.ts';
import * as queries from './queries.ts';
import { type RelationQuery, type Relations, rowsIn } from './readRelations.ts';
import { readStatus } from './readStatus.ts';
import { count, numberOrNull, type ReportRow, text, verdictOf } from './rowValues.ts';
import type { StatusContext } from './statusContext.ts';

export interface ReadOptions extends StatusContext {
  /** The models that declare the metrics. Default: those of the package. */
  readonly models?: readonly Model[] | undefined;
  /** Chains whose metrics are drawn; all if omitted. */
  readonly chains?: readonly string[] | undefined;
}

/** How many of its newest hours are read of a series: a year and a month. Other intervals are read whole. */
const mostHours = 9504;
const mostBuckets = 10_000;
/** Buckets shown of each series and verdict that is explained. */
const examplesPerVerdict = 6;
/** Chains whose metrics are drawn when nobody names any: those with the most reconciled buckets. */
const chainsDrawn = 12;

const unexplained = verdicts.filter((verdict) => !isExplained(verdict)).join(',');

/** Reads everything the report shows from the reader database, in one consistent version. */
export async function readReport(
  reader: Omit<Reader, 'close'>,
  relations: Relations,
  options: ReadOptions,
): Promise<ReportData> {
  const rowsOf = rowsIn(reader, relations);
  const status = await readStatus(reader, relations, options);
  const schemaChanges = await rowsOf('firn.schema_change', queries.schemaChangesSql);
  const hasReconciliation = relations.has('mart.reconciliation');
  // Held back in the first build, the verdicts may be missing where what the service says of itself is there.
  const [consistency] = hasReconciliation ? await rowsOf('mart.served_consistency', contradictionsSql) : [];
  const own = await rowsOf('mart.metric', queries.ownSeriesSql);
  const { drawn, chainsLeft } = drawnChains(status.verdicts, own, options.chains);
  return {
    ...status,
    examples: (await rowsOf('mart.reconciliation', queries.examplesSql, [examplesPerVerdict, unexplained])).map((row) =>
      example(row, reader.toPaste ?? toPaste),
    ),
    series: hasReconciliation && drawn.length > 0 ? await readSeries(reader, relations, drawn) : [],
    chainsLeft,
    servedNames: (await rowsOf('raw.data_chains', queries.chainNamesSql)).map((row) => ({
      chainId: text(row['chain_id']),
      name: text(row['chain_name']),
    })),
    metrics: metricFacts(options.models ?? (await readModels())),
    coverage: (await rowsOf('firn.coverage', queries.coverageSql)).map((row) => ({
      chainId: text(row['chain_id']),
      day: count(row['day']),
      level: text(row['level']) as CoverageLevel,
      open: row['state'] === 'open',
      blocks: count(row['blocks']),
      transactions: count(row['transactions']),
    })),
    gaps: relations.has('firn.gap') ? await readGaps(reader, 'firn.gap') : [],
    unknownMembers: count(schemaChanges[0]?.['members']),
    schemaChanges: schemaChanges.map((row) => ({
      stream: text(row['stream']),
      member: text(row['member']),
      example: text(row['example']),
      seenAt: count(row['seen_at']),
    })),
    freshness: (await rowsOf('mart.served_freshness', queries.freshnessSql)).map((row) => ({
      chainId: text(row['chain_id']),
      metric: text(row['metric']),
      interval: text(row['time_interval']),
      newestBucket: numberOrNull(row['newest_bucket']),
      lagSeconds: numberOrNull(row['lag_seconds']),
      revisedBuckets: count(row['revised_buckets']),
      settledAfterSeconds: numberOrNull(row['settled_after_seconds']),
    })),
    inconsistentDays: count(consistency?.['days']),
  };
}

function metricFacts(models: readonly Model[]): MetricFacts[] {
  const byMetric = new Map(models.map((model) => [model.metric?.name, model]));
  return metricsOf(models).map(({ name, title, unit, intervals, needs, contributors }) => {
    const { description: definition = '', file = null } = byMetric.get(name) ?? {};
    return { name, title, unit, intervals, isLevel: needs.sinceGenesis, definition, file, contributors };
  });
}

/** Chains whose series are drawn, those with the most buckets first, and how many others there are where nobody chose. */
function drawnChains(
  verdicts: readonly VerdictCount[],
  own: readonly ReportRow[],
  chosen: readonly string[] | undefined,
): { drawn: readonly string[]; chainsLeft: number } {
  const sizes = new Map<string, number>();
  const add = (chain: string, buckets: number) => sizes.set(chain, (sizes.get(chain) ?? 0) + buckets);
  for (const { chainId, buckets } of verdicts) add(chainId, buckets);
  for (const row of own) add(text(row['chain_id']), count(row['buckets']));
  const chains = [...sizes].sort(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1)).map(([chain]) => chain);
  const unknown = chosen?.find((chain) => !chains.includes(chain));
  if (unknown !== undefined)
    throw new FirnError('usage', `Nothing is published for a chain "${unknown}". ${meant(unknown, chains)}`);
  const drawn = chosen ? chains.filter((chain) => chosen.includes(chain)) : chains.slice(0, chainsDrawn);
  return { drawn, chainsLeft: chosen ? 0 : chains.length - drawn.length };
}

/** Series of chains, in their order. Names are quoted, never trusted. */
async function readSeries(
  reader: RelationQuery,
  relations: Relations,
  chains: readonly string[],
): Promise<PlottedSeries[]> {
  const wanted = `chain_id IN (${chains.map(literal).join(', ')})`;
  const own = relations.has('mart.metric') ? 'mart.metric' : queries.noMetrics;
  const sql = querySql('report_series', { own, wanted });
  const series = (await reader.query<ReportRow>(sql, [mostHours, mostBuckets])).map((row) => ({
    chainId: text(row['chain_id']),
    metric: text(row['metric']),
    interval: text(row['time_interval']),
    buckets: count(row['buckets']),
    scale: count(row['scale']),
    columns: {
      bucket: text(row['bucket']),
      firstBlock: text(row['first_block']),
      lastBlock: text(row['last_block']),
      own: text(row['own']),
      served: text(row['served']),
      verdict: text(row['verdict']),
    },
  }));
  return series.sort((a, b) => chains.indexOf(a.chainId) - chains.indexOf(b.chainId));
}

function example(row: ReportRow, paste: ToPaste): VerdictExample {
  return {
    ...verdictOf(row),
    bucket: count(row['bucket']),
    own: row['own'] as string | null,
    served: row['served_text'] as string | null,
    difference: row['difference_text'] as string | null,
    firstBlock: numberOrNull(row['first_block']),
    lastBlock: numberOrNull(row['last_block']),
    fetchedAt: numberOrNull(row['fetched_at']),
    note: row['note'] as string | null,
    query: paste(text(row['query'])),
  };
}
