import { element } from './element.ts';
import type { Payload } from './readPayload.ts';

/** What a metric counts, its unit and its pitfalls. */
export const definition = ({ metrics }: Payload, metric: string): HTMLElement =>
  element(
    'details',
    { class: 'definition', open: true },
    element('summary', {}, `Definition of ${metric}`),
    element('p', {}, metrics.of(metric).definition),
    element('p', {}, 'Its SQL: ', element('code', {}, `sql/models/mart/metric_${metric}.sql`)),
  );
