import { snakeCase } from '../../core/text/snakeCase.ts';
import type { Metric } from './metric.ts';
import type { Model } from './model.ts';

const chosen = {
  metric: () => true,
  'whole metric': ({ quotient }: Metric) => !quotient,
  quotient: ({ quotient }: Metric) => quotient,
};
const which = Object.keys(chosen).join('|');
const eachLine = new RegExp(`^(.*?)(,?) -- each (${which})(?:, joined by (.+))?$`, 'gm');
const eachColumn = new RegExp(`^(.*) of each (${which})$`);

/**
 * Writes out what a model says of each metric: lines of its SQL that end in `-- each metric`, `-- each whole metric` or `-- each quotient`,
 * and columns that are named so in its header. In them `{metric}`, `{column}` (the name in snake_case), `{title}` and `{unit}` are filled
 * in. The lines are joined by commas, or by what `joined by` names, and stay on one line, so that DuckDB's line numbers are those of the file. By pattern: until it is written out, this is not SQL yet.
 *
 * @param metrics in their order
 */
export function eachMetric(model: Model, metrics: readonly Metric[]): Model {
  const each = (of: string, text: string) =>
    metrics.filter(chosen[of as keyof typeof chosen]).map((metric) => fill(text, metric));
  return {
    ...model,
    sql: model.sql.replace(eachLine, (_, line: string, comma: string, of: string, joint?: string) => {
      return each(of, line.trim()).join(joint ? ` ${joint} ` : ', ') + comma;
    }),
    columns: Object.fromEntries(
      Object.entries(model.columns).flatMap(([column, description]) => {
        const [, name, of] = eachColumn.exec(column) ?? [];
        if (name === undefined || of === undefined) return [[column, description]];
        const descriptions = each(of, description);
        return each(of, name).map((filled, i) => [filled, descriptions[i] ?? '']);
      }),
    ),
  };
}

function fill(text: string, { name, title, unit }: Metric): string {
  const values: Readonly<Record<string, string>> = { metric: name, column: snakeCase(name), title, unit };
  return text.replace(/\{(\w+)\}/g, (all, key: string) => values[key] ?? all);
}
