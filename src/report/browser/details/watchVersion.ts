import { element } from '../element.ts';

const everyMs = 15_000;

/** The version that the server shows; null for a page opened as a file. */
export const liveVersion = (): string | null => document.body.dataset['live'] ?? null;

/** On a served page: asks for a newer version now and then, and offers to load it. */
export function watchVersion(): void {
  const own = liveVersion();
  if (own === null) return;
  const timer = setInterval(async () => {
    const answer = await fetch('/report.json', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
    const newest = answer?.headers.get('etag');
    if (!newest || newest === own) return;
    clearInterval(timer);
    // The fragment says what is shown, and is kept.
    const show = (event: Event) => {
      event.preventDefault();
      location.reload();
    };
    const link = element('a', { href: location.href, click: show }, 'A newer version is there: show it');
    document.body.append(element('p', { class: 'live', role: 'status' }, link));
  }, everyMs);
}
