import { element } from './element.ts';
import type { Payload } from './readPayload.ts';

/** What a metric counts, its units and traps. */
export const definition = ({ definitions }: Payload, metric: string): HTMLElement =>
  element(
    'details',
    { class: 'definition', open: true },
    element('summary', {}, `Definition of ${metric}`),
    element('p', {}, definitions[metric] ?? 'This version of firn has no definition of it.'),
    element('p', {}, 'Its SQL: ', element('code', {}, `sql/models/mart/metric_${metric}.sql`)),
  );
