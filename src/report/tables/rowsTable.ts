import { type Html, html } from '../markup/html.ts';
import { wide } from '../markup/wide.ts';
import { isNumberType } from '../query/isNumberType.ts';
import type { QueryRows } from '../query/queryRequest.ts';
import { countText } from '../texts/numberText.ts';

const times = /^(DATE|TIMESTAMP.*)$/;

/** Rows as a table; numbers stand right, times on one line. A value that was cut says so. */
export function rowsTable({ names, types, rows, cut = [] }: QueryRows, caption: string): Html {
  const kind = types.map((type) =>
    isNumberType(type) ? html` class="n"` : times.test(type) ? html` class="t"` : html``,
  );
  const lengths = new Map(cut.map(({ row, column, characters }) => [`${row} ${column}`, characters]));
  const cell = (value: string | null, row: number, column: number) => {
    if (value === null) return html`<span class="null">NULL</span>`;
    const length = lengths.get(`${row} ${column}`);
    return html`${value}${length !== undefined && html`… <small>(cut: it has ${countText(length)} characters)</small>`}`;
  };
  return html`<div ${wide('Rows')}><table class="rows"><caption>${caption}</caption><thead><tr>${names.map(
    (name, place) => html`<th scope="col"${kind[place]} title="${types[place]}">${name}`,
  )}</thead><tbody>${rows.map(
    (values, row) => html`\n<tr>${values.map((value, place) => html`<td${kind[place]}>${cell(value, row, place)}`)}`,
  )}</tbody></table></div>`;
}
