/**
 * Paper is white, and nothing on it opens: explanations are unfolded, and plots redrawn in print colours, which a
 * canvas does not pick up by itself.
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
