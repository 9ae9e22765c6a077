import { z } from 'zod';
import type { DictionaryTable } from '../../dictionary/dataDictionary.ts';
import type { QueryRows } from '../../report/query/queryRequest.ts';
import { verdictGroups } from '../../report/verdicts/verdictFacts.ts';
import type { DbtProject } from '../../run/dbt/writeDbtProject.ts';
import type { ScheduledPipeline } from '../../run/plan/schedulePipelines.ts';
import { runDocument } from './runDocument.ts';
import { count, objectOf } from './shapes.ts';

/** Why a command failed: in place of its document. */
export const errorDocument = z.object({
  error: z.object({ code: z.string(), message: z.string(), exitCode: count }),
});

/** The streams there are. */
export const streamsDocument = z.object({
  streams: z.array(
    z.object({
      id: z.string(),
      way: z.string(),
      endpoint: z.string(),
      description: z.string(),
      table: z.string(),
      key: z.array(z.string()),
      deprecated: z.object({ since: z.string(), use: z.string() }).nullable(),
      example: z.record(z.string(), z.unknown()),
    }),
  ),
});

const column = objectOf<DictionaryTable['columns'][number]>()({
  name: z.string(),
  type: z.string(),
  parquetType: z.string().optional(),
  comment: z.string().nullable(),
  example: z.string().nullable(),
});

/** Every table and column of the warehouse. */
export const dictionaryDocument = z.object({
  tables: z.array(
    objectOf<DictionaryTable>()({
      schema: z.string(),
      name: z.string(),
      kind: z.enum(['table', 'view']),
      comment: z.string().nullable(),
      inFiles: z.boolean(),
      sortedBy: z.array(z.string()),
      columns: z.array(column),
    }),
  ),
});

/** Rows of a query, every value as text with all its digits; or the file that has them. */
export const queryDocument = z.union([
  objectOf<QueryRows>()({
    names: z.array(z.string()),
    types: z.array(z.string()),
    rows: z.array(z.array(z.string().nullable())),
    more: z.boolean(),
    cut: z.array(z.object({ row: count, column: count, characters: count })).optional(),
  }),
  z.object({ file: z.string() }),
]);

/** What `completion` prints. */
export const completionDocument = z.object({ shell: z.string(), script: z.string() });

/** The dbt project that was written. */
export const dbtProjectDocument = objectOf<DbtProject>()({
  folder: z.string(),
  sources: count,
  tests: count,
  exposures: count,
  leftOut: z.array(z.string()),
  kept: z.array(z.string()),
});

/** The report that was written. */
export const reportDocument = z.object({
  file: z.string(),
  bytes: count,
  version: count.nullable(),
  buckets: z.record(z.enum(verdictGroups), count),
});

/** A server that runs. */
export const serveDocument = z.object({ url: z.string() });

/** The embedded network. */
export const devnetDocument = z.object({
  url: z.string(),
  chains: z.array(z.object({ name: z.string(), blockchainId: z.string(), evmChainId: count })),
});

/** Pipelines with their times; a running schedule prints the document of a run after each. */
export const scheduleDocument = z.object({
  pipelines: z.array(objectOf<ScheduledPipeline>()({ name: z.string(), expression: z.string() })),
});

/** The message, signed. */
export const signDocument = z.object({ signedMessage: z.string() });

/** What the demo did. */
export const demoDocument = z.object({
  folder: z.string(),
  runs: z.array(runDocument),
  verdicts: z.array(
    z.object({
      chainId: z.string(),
      metric: z.string(),
      interval: z.string(),
      verdict: z.string(),
      buckets: count,
    }),
  ),
});
