import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFolder } from '../../load/packageFiles.ts';
import type { Metric } from './metric.ts';
import { metricsOf } from './metricsOf.ts';
import { parseModel } from './parseModel.ts';

let read: readonly Metric[] | undefined;

/** The metrics that the headers of `sql/models/mart/metric_*.sql` declare, in their order; read when first asked for. */
export function declaredMetrics(): readonly Metric[] {
  const folder = join(sqlFolder('models'), 'mart');
  read ??= metricsOf(
    readdirSync(folder)
      .filter((file) => /^metric_\w+\.sql$/.test(file))
      .map((file) =>
        parseModel(`mart.${file.slice(0, -4)}`, `sql/models/mart/${file}`, readFileSync(join(folder, file), 'utf8')),
      ),
  );
  return read;
}
