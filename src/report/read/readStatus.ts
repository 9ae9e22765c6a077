import { queryUnresolved } from '../../load/bookkeeping/unresolved.ts';
import type { ReportedChain, StatusData } from '../reportData.ts';
import * as queries from './queries.ts';
import { type RelationQuery, type Relations, type RowsOf, rowsIn } from './readRelations.ts';
import { readRuns } from './readRuns.ts';
import { readStreams } from './readStreams.ts';
import { count, numberOrNull, type ReportRow, text, verdictOf } from './rowValues.ts';
import type { StatusContext } from './statusContext.ts';

/** Reads what `status` tells from the reader database. Tables that are not there yet count as empty. */
export async function readStatus(
  reader: RelationQuery,
  relations: Relations,
  context: StatusContext,
): Promise<StatusData> {
  const rowsOf = rowsIn(reader, relations);
  const has = (relation: string, column: string) => relations.get(relation)?.has(column) ?? false;
  const [published] = await rowsOf('firn.published', queries.publishedSql);
  const [network] = await rowsOf('firn.network', queries.networkSql);
  const runs = await readRuns(reader, context.runs, context.now);
  const unresolved = context.unresolved ?? (await queryUnresolved(reader, has));
  const verdicts = await rowsOf('mart.reconciliation', queries.verdictsSql);
  const audits = await rowsOf('firn.audit', queries.auditsSql(relations.get('firn.audit') ?? new Map()));
  const quota = await rowsOf('firn.quota', queries.quotaSql);
  const unloaded = await rowsOf('firn.reference', queries.unloadedSql);
  return {
    generatedAt: context.now,
    firnVersion: context.firnVersion,
    network: network ? { name: text(network['network']), id: numberOrNull(network['network_id']) } : null,
    published: published
      ? {
          version: count(published['version']),
          at: count(published['at']),
          files: count(published['files']),
          rows: count(published['rows']),
          bytes: count(published['bytes']),
        }
      : null,
    running: context.running,
    chains: await readChains(rowsOf),
    verdicts: verdicts.map((row) => ({
      ...verdictOf(row),
      buckets: count(row['buckets']),
      firstBucket: count(row['first_bucket']),
      lastBucket: count(row['last_bucket']),
    })),
    streams: await readStreams(reader, relations, {
      now: context.now,
      runs: context.workers ? asRuns(context.workers) : runs,
      dropped: context.dropped,
      unresolved,
      times: context.times,
      pipelines: context.pipelines,
    }),
    runs: runs.map(({ partitions, unnamedFailures, sources, ...run }) => run),
    unreadable: context.unreadable,
    audits: audits.map((row) => ({
      name: text(row['name']),
      failedRows: count(row['failed_rows']),
      checkedAt: count(row['checked_at']),
      example: row['example'] as string | null,
      couldNotLook: row['could_not_look'] === true,
    })),
    quota: quota.map((row) => ({
      source: text(row['source']),
      day: count(row['day']),
      units: count(row['units']),
    })),
    unloaded: unloaded.map((row) => ({ file: text(row['file']), problem: text(row['problem']) })),
    dailyQuota: context.dailyQuota,
    sources: runs.find(({ sources }) => sources.length > 0)?.sources ?? [],
    unresolved,
    pipelines: context.pipelines,
    ...(context.workers && { workersHeardAt: context.workers.heardAt }),
    lastPublishedAt: lastPublished(
      runs.find(({ isPublished }) => isPublished)?.finishedAt ?? null,
      numberOrNull(published?.['at']),
      context.now,
    ),
  };
}

/**
 * When a run last published: the end of the last that did, unless what readers see was published since, by a run that was killed before its end or
 * by another machine. What lies ahead of the clock says nothing of that.
 */
const lastPublished = (ended: number | null, seen: number | null, now: number): number | null =>
  ended === null || (seen !== null && seen <= now && (seen > ended || ended > now)) ? seen : ended;

/** What workers told, as runs that read it. */
const asRuns = ({ last, read }: NonNullable<StatusContext['workers']>) =>
  [last, read].map((told) => ({
    pipelines: [],
    isWhole: false,
    isEverything: false,
    unnamedFailures: {},
    partitions: told.map(({ at, ...outcome }) => ({ ...outcome, pipeline: null, readAt: at })),
  }));

async function readChains(rowsOf: RowsOf): Promise<ReportedChain[]> {
  const pinned = await rowsOf('firn.chain', queries.chainsSql);
  const evm = await rowsOf('firn.coverage', queries.chainHeadsSql);
  const containers = await rowsOf('raw.node_containers', queries.containerHeadsSql);
  const decoded: ReportRow[] = [];
  // Each may be held back from readers without the other.
  if (containers.length > 0)
    for (const blocks of queries.decodedBlocks)
      decoded.push(...(await rowsOf(blocks[0], queries.decodedHeadSql(blocks, containers))));
  const linear = [...decoded, ...containers];
  const served = await rowsOf('raw.data_chains', queries.chainNamesSql);
  const facts = (chainId: string, name: string, vm: string, head: ReportRow | undefined): ReportedChain => ({
    chainId,
    name: nameOf(chainId, name, served),
    vm,
    newestBlock: numberOrNull(head?.['newest_block']),
    newestTime: numberOrNull(head?.['newest_time']),
  });
  const known = pinned.map((row) => {
    const chainId = text(row['chain_id']);
    const head =
      evm.find((other) => other['chain_id'] === chainId) ??
      linear.find((other) => other['index_name'] === `${text(row['alias'])}/block`);
    return facts(chainId, text(row['name']), text(row['vm']), head);
  });
  const unnamed = evm.filter((row) => !known.some(({ chainId }) => chainId === row['chain_id']));
  return [...known, ...unnamed.map((row) => facts(text(row['chain_id']), '', 'evm', row))];
}

/** A name for people: a chain that was only ever named by its blockchain id has the data service's name, or its chain id. */
function nameOf(chainId: string, name: string, served: readonly ReportRow[]): string {
  const isId = /^[1-9A-HJ-NP-Za-km-z]{40,}$/.test(name);
  if (name !== '' && !isId) return name;
  const given = served.find((row) => row['chain_id'] === chainId)?.['chain_name'];
  return given ? text(given) : `Chain ${chainId}`;
}
