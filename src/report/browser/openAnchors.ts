import { decoded } from '../../core/text/decoded.ts';

/** Unfolds the section that a link leads into. */
export function openAnchors(): void {
  const open = () => {
    if (location.hash.startsWith('#/?')) return;
    const target = document.getElementById(decoded(location.hash.slice(1)));
    if (!target) return;
    for (let up: Element | null = target; up; up = up.parentElement)
      if (up instanceof HTMLDetailsElement) up.open = true;
    target.scrollIntoView({ block: 'start' });
  };
  addEventListener('hashchange', open);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    if (link && link.hash === location.hash) open();
  });
  if (location.hash.length > 1) open();
}
