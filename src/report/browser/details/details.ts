import { intervals } from '../../../transform/bucketTime.ts';
import { element } from '../element.ts';
import { type Choice, named } from '../explorer/choice.ts';
import { bucketName, currentPlace, type Place } from '../explorer/place.ts';
import type { Payload } from '../readPayload.ts';
import { stackTables } from '../stackTables.ts';
import { pointDetails } from './pointDetails.ts';
import { seriesDetails } from './seriesDetails.ts';

/**
 * The dialog that leads from a cell to its buckets, and from a bucket to its blocks, transactions and definition.
 *
 * @param leave called when the user closes it
 */
export function createDetails(payload: Payload, leave: () => void) {
  const title = element('h2', { id: 'h-details', tabindex: -1 });
  const body = element('div', { class: 'details-body' });
  const close = element('button', { type: 'button', click: () => dialog.close() }, 'Close');
  const dialog = element(
    'dialog',
    { id: 'details', 'aria-labelledby': 'h-details' },
    element('div', { class: 'details-head' }, title, close),
    body,
  );
  let isFollowing = false;
  dialog.addEventListener('close', () => {
    // It comes later, also where the address closed it, which may name a metric again by then: this must not add to the history.
    if (!isFollowing && currentPlace()?.metric) leave();
    isFollowing = false;
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return {
    /** Shows what a place names; closes when it names no metric. */
    show(place: Place | null, choice: Choice): void {
      const { metric, bucket } = place ?? {};
      if (!place || !metric) {
        isFollowing ||= dialog.open;
        dialog.close();
        return;
      }
      const chain = place.chain ?? choice.chain;
      const interval = intervals.find((one) => one === place.interval) ?? choice.interval;
      const series = payload.series(chain, interval).find((one) => one.metric === metric);
      const point = bucket && series?.points.find((one) => bucketName(one.bucket, interval) === bucket);
      const chainName = payload.chains.find(([id]) => id === chain)?.[1] ?? `Chain ${chain}`;
      const context = { payload, chain, chainName, metric, interval, here: named(choice), series };
      title.textContent = `${metric} by ${interval}${bucket ? `, ${bucket.replace('T', ' ')}` : ''}`;
      body.replaceChildren(
        ...(bucket ? pointDetails({ ...context, bucket, point: point || undefined }) : seriesDetails(context)),
      );
      stackTables(body);
      if (!dialog.open) dialog.showModal();
      title.focus();
      dialog.scrollTop = 0;
    },
  };
}
