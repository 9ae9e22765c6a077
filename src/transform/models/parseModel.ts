import { z } from 'zod';
import type { Layout } from '../../core/columns/layout.ts';
import { parseSqlFile } from '../sqlFile.ts';
import { metricHeader } from './metric.ts';
import type { KeptAs, Model } from './model.ts';

const kept = z.string().transform((text, context): KeptAs => {
  if (text === 'view' || text === 'table') return { kind: text };
  if (text === 'table by bucket') return { kind: 'buckets' };
  const [, kind, names = ''] = /^(view|table|earliest) by ([\w, ]+)$/.exec(text) ?? [];
  if (kind === 'view') return { kind: 'view', column: names };
  if (kind === 'table') return { kind: 'hours', column: names };
  if (kind === 'earliest') return { kind: 'earliest', key: names.split(/, */) };
  context.addIssue(
    'write view, view by <time column>, table, table by <time column>, table by bucket, or earliest by <key columns>',
  );
  return z.NEVER;
});

/** The columns that order its rows, and for what grows those by which its files are cut: a chain and a time, or a time alone. */
const files = z
  .strictObject({ chain: z.string().optional(), time: z.string().optional(), order: z.array(z.string()).min(1) })
  .refine(({ chain, time }) => !chain || time, { error: 'name a time beside the chain, by which its files are cut' })
  .transform(({ chain, time, order }): Layout => {
    return { ...(chain && { chain }), ...(time && { by: { kind: 'time', column: time } }), sort: order };
  });

const header = z.strictObject({
  description: z.string().min(10),
  traps: z.string().min(10).optional(),
  kept: kept.default({ kind: 'view' }),
  changed: z
    .record(z.string().regex(/^\w+$/, 'write the name of a column'), z.string().min(1))
    .refine((changed) => Object.keys(changed).length > 0, 'name the key, and a SELECT of those that may have changed')
    .optional(),
  files: files.nullable().default(null),
  whole: z.literal(true).optional(),
  columns: z.record(z.string(), z.string().min(1)).default({}),
  metric: metricHeader.optional(),
});

const plainHeader = header.refine(({ kept: as, changed }) => !changed || as.kind === 'table', {
  path: ['changed'],
  error: 'only what is kept: table says which of its rows may have changed',
});

const otherHeader = plainHeader.refine(({ metric }) => !metric, {
  path: ['metric'],
  error: 'a metric stands in mart/metric_<name>.sql',
});

/**
 * Reads a model file. One whose header has the part `metric` is a metric: `mart.metric_<name>`.
 *
 * @param name `schema.table`, from the file's place
 * @throws FirnError `failed` with file and line of what is wrong in the header
 */
export function parseModel(name: string, file: string, text: string): Model {
  const schema = name.startsWith('mart.metric_') ? plainHeader : otherHeader;
  const { header: said, sql, line } = parseSqlFile(file, text, schema);
  const { description, traps, columns } = said;
  const metric = said.metric ? { ...said.metric, name: name.replace('mart.metric_', '') } : null;
  const parts = metric
    ? [
        `${metric.name}: ${description}`,
        `Unit: ${metric.unit}.`,
        intervalsText(metric.intervals),
        needsText(metric.needs),
      ]
    : [description];
  return {
    name,
    file,
    sql,
    line,
    description: [...parts, ...(traps ? [`Traps: ${traps}`] : [])].join(' '),
    keptAs: said.changed ? { kind: 'table', changed: said.changed } : said.kept,
    isWhole: said.whole ?? said.kept.kind === 'table',
    files: said.files,
    columns,
    metric,
  };
}

const intervalsText = (intervals: readonly string[]) =>
  `${intervals.length > 1 ? 'Intervals' : 'Interval'}: ${intervals.join(', ')}.`;

const needsText = ({ input, sinceGenesis }: NonNullable<Model['metric']>['needs']) =>
  sinceGenesis ? `Needs every ${input.slice(0, -1)} since genesis.` : `Needs ${input}.`;
