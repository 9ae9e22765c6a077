import { element } from '../element.ts';
import { liveVersion } from './watchVersion.ts';

/** SQL or a command to copy, with a note on its result; on a served page SQL can be run. */
export function sqlBlock(what: string, text: string, isSql = true): HTMLElement {
  const code = element('pre', { tabindex: 0 }, text);
  const copy = element('button', { type: 'button', 'aria-label': `Copy: ${what}` }, 'Copy');
  copy.addEventListener('click', async () => {
    copy.textContent = (await copied(text, code)) ? 'Copied' : 'Press Ctrl+C';
  });
  return element(
    'div',
    { class: 'sql' },
    element(
      'p',
      {},
      `${what} `,
      copy,
      isSql &&
        liveVersion() !== null && [' ', element('a', { href: `/sql?${new URLSearchParams({ q: text })}` }, 'Run')],
    ),
    code,
  );
}

/** Copies a text; where the browser does not allow that, selects it for the keyboard. */
async function copied(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return document.execCommand('copy');
  }
}
