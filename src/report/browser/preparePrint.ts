/**
 * On paper there is light, and nothing can be opened: explanations are opened, and plots redrawn in the colours of paper, which a
 * canvas does not take by itself.
 */
export function preparePrint(redraw: () => void): void {
  const opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('.x:not([open])')) {
      details.open = true;
      opened.push(details);
    }
    document.documentElement.dataset['paper'] = '';
    redraw();
  });
  addEventListener('afterprint', () => {
    for (const details of opened.splice(0)) details.open = false;
    delete document.documentElement.dataset['paper'];
    redraw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
