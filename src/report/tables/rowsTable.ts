import { type Html, html } from '../html.ts';
import type { QueryRows } from '../query/queryRequest.ts';

const numbers = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|DOUBLE|FLOAT)$/;

const times = /^(DATE|TIMESTAMP.*)$/;

/** Rows as a table; numbers stand right, times on one line. */
export function rowsTable({ names, types, rows }: QueryRows, caption: string): Html {
  const kind = types.map((type) =>
    numbers.test(type) ? html` class="n"` : times.test(type) ? html` class="t"` : html``,
  );
  return html`<div class="wide" tabindex="0" role="region" aria-label="Rows"><table class="rows"><caption>${caption}</caption><thead><tr>${names.map(
    (name, place) => html`<th scope="col"${kind[place]} title="${types[place]}">${name}`,
  )}</thead><tbody>${rows.map(
    (row) =>
      html`\n<tr>${row.map((value, place) => html`<td${kind[place]}>${value === null ? html`<span class="null">NULL</span>` : value}`)}`,
  )}</tbody></table></div>`;
}
