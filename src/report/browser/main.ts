import './knownLanguage.ts';
import { createDetails } from './details/details.ts';
import { watchVersion } from './details/watchVersion.ts';
import { named } from './explorer/choice.ts';
import { createExplorer } from './explorer/explorer.ts';
import { currentPlace, type Place, placeHref } from './explorer/place.ts';
import { createFilters } from './filters.ts';
import { openAnchors } from './openAnchors.ts';
import { preparePrint } from './preparePrint.ts';
import { readPayload } from './readPayload.ts';
import { stackTables } from './stackTables.ts';

/** Makes the page interactive. Everything it does builds on what the page says without it. */
async function start(): Promise<void> {
  openAnchors();
  stackTables(document);
  createFilters();
  watchVersion();
  const payload = await readPayload();
  const host = document.getElementById('explorer');
  if (!payload || !host) return;
  const go = (place: Place) => {
    location.hash = placeHref(place);
  };
  const explorer = createExplorer(host, payload, go);
  const details = createDetails(payload, () => go(named(explorer.choice)));
  const follow = () => {
    const place = currentPlace();
    const choice = explorer.choose(place ?? named(explorer.choice));
    details.show(place, choice);
  };
  addEventListener('hashchange', follow);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-go]') : null;
    if (!link || event.defaultPrevented || (event as MouseEvent).ctrlKey || (event as MouseEvent).metaKey) return;
    event.preventDefault();
    go(Object.fromEntries(new URLSearchParams(link.dataset['go'])));
  });
  for (const latest of document.querySelectorAll<HTMLDetailsElement>('details.latest')) latest.open = false;
  preparePrint(() => explorer.redraw());
  const place = currentPlace();
  follow();
  if (place && !place.metric) host.closest('section')?.scrollIntoView({ block: 'start' });
}

start();
