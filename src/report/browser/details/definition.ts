import { element } from '../element.ts';
import type { Payload } from '../readPayload.ts';

/** What a metric counts, its unit and its pitfalls. */
export function definition({ metrics }: Payload, metric: string): HTMLElement {
  const { definition: text, file } = metrics.of(metric);
  return element(
    'details',
    { class: 'definition', open: true },
    element('summary', {}, `Definition of ${metric}`),
    element('p', {}, text),
    file !== null && element('p', {}, 'Its SQL: ', element('code', {}, file)),
  );
}
