import type { Place } from '../explorer/place.ts';
import type { Payload, ShownSeries } from '../readPayload.ts';

/** What the dialog's contents are made from. */
export interface DetailsContext {
  readonly payload: Payload;
  readonly chain: string;
  readonly chainName: string;
  readonly metric: string;
  readonly interval: string;
  /** What the page shows around the dialog. */
  readonly here: Place;
  /** Undefined where the page does not hold it. */
  readonly series: ShownSeries | undefined;
}
