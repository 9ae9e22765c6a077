import { z } from 'zod';
import { metricHeader } from './metric.ts';
import type { KeptAs, Model } from './model.ts';
import { parseSqlFile } from './sqlFile.ts';

const kept = z.string().transform((text, context): KeptAs => {
  if (text === 'view' || text === 'table') return { kind: text };
  if (text === 'table by bucket') return { kind: 'buckets' };
  const [, kind, names = ''] = /^(table|earliest) by ([\w, ]+)$/.exec(text) ?? [];
  if (kind === 'table') return { kind: 'hours', column: names };
  if (kind === 'earliest') return { kind: 'earliest', key: names.split(', ') };
  context.addIssue(
    'write view, table, table by <time column>, table by bucket, or earliest by <key columns>, where it is no view',
  );
  return z.NEVER;
});

const header = z.strictObject({
  description: z.string().min(10),
  traps: z.string().min(10).optional(),
  kept: kept.default({ kind: 'view' }),
  columns: z.record(z.string(), z.string().min(1)).default({}),
  metric: metricHeader.optional(),
});

/**
 * Reads a model file. One whose header has the part `metric` is a metric: `mart.metric_<name>`.
 *
 * @param name `schema.table`, from the file's place
 * @throws FirnError `failed` with file and line of what is wrong in the header
 */
export function parseModel(name: string, file: string, text: string): Model {
  const schema = header.refine(({ metric }) => !metric || name.startsWith('mart.metric_'), {
    path: ['metric'],
    error: 'a metric stands in mart/metric_<name>.sql',
  });
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
    keptAs: said.kept,
    columns,
    metric,
  };
}

const intervalsText = (intervals: readonly string[]) =>
  `${intervals.length > 1 ? 'Intervals' : 'Interval'}: ${intervals.join(', ')}.`;

const needsText = ({ input, sinceGenesis }: NonNullable<Model['metric']>['needs']) =>
  sinceGenesis ? `Needs every ${input.slice(0, -1)} since genesis.` : `Needs ${input}.`;
