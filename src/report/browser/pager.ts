import { messageOf } from '../../core/firnError.ts';
import { countText } from '../texts/numberText.ts';
import { element } from './element.ts';
import { stackTables } from './stackTables.ts';

export interface PagerOptions {
  readonly caption: string;
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly perPage: number;
  /** Rows from an offset on, at most `most` of them, each as its cells. */
  read(from: number, most: number): Promise<readonly (readonly (string | Node)[])[]>;
  /** How many rows there are; null where nobody counted. */
  readonly total: number | null;
}

const isTime = (cell: string | Node): boolean => typeof cell === 'string' && /^\d{4}-\d\d-\d\d/.test(cell);

const rowOf = (cells: readonly (string | Node)[]): HTMLElement =>
  element(
    'tr',
    {},
    cells.map((cell, index) =>
      element(index === 0 ? 'th' : 'td', { ...(index === 0 && { scope: 'row' }), class: isTime(cell) && 't' }, cell),
    ),
  );

/** A table that shows a page of rows at a time. `reset` goes back to the first. */
export function pager({ caption, names, perPage, read, total }: PagerOptions): { root: HTMLElement; reset(): void } {
  let from = 0;
  let asked = 0;
  const told = element('span', { role: 'status' });
  const turn = (text: string, by: number) =>
    element('button', { type: 'button', disabled: true, click: () => void show(Math.max(0, from + by)) }, text);
  const [back, on] = [turn('Previous', -perPage), turn('Next', perPage)];
  const rows = element('tbody');
  const heads = names.map((name) => element('th', { scope: 'col' }, name));
  const table = element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, heads)),
    rows,
  );
  const show = async (at: number) => {
    const own = ++asked;
    told.textContent = ' loading … ';
    try {
      // One row more than is shown tells whether there are others.
      const found = await read(at, perPage + 1);
      if (own !== asked) return;
      from = at;
      const shown = found.slice(0, perPage);
      rows.replaceChildren(...shown.map(rowOf));
      told.textContent =
        shown.length === 0
          ? ' none '
          : ` ${countText(from + 1)} – ${countText(from + shown.length)}${total === null ? '' : ` of ${countText(total)}`} `;
      back.disabled = from === 0;
      on.disabled = found.length <= perPage;
      table.removeAttribute('role');
      stackTables(table.parentElement ?? table);
    } catch (error) {
      if (own !== asked) return;
      const again = element('button', { type: 'button', click: () => void show(at) }, 'Try again');
      told.replaceChildren(` ${messageOf(error)} `, again, ' ');
    }
  };
  const root = element(
    'div',
    { class: 'pager' },
    element('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption }, table),
    element('p', {}, back, told, on),
  );
  return {
    root,
    reset: () => void show(0),
  };
}
