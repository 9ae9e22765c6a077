import { fieldValue, type Html, html } from '../markup/html.ts';
import { shell } from '../markup/shell.ts';
import type { QueryRows } from '../query/queryRequest.ts';
import { countText } from '../texts/numberText.ts';
import { operators } from './operators.ts';
import { rowsTable } from './rowsTable.ts';
import type { TableQuery } from './tableQuery.ts';
import type { TablesContext } from './tablesContext.ts';

/** Filters that a form offers beside those that are set. */
const emptyFilters = 2;

/**
 * A page of a table, with the form that filters and sorts it.
 *
 * @param found its rows, or why there are none
 */
export function tablePage(
  { relations, comments, live, firnVersion }: TablesContext,
  relation: string,
  query: TableQuery,
  parameters: URLSearchParams,
  found: QueryRows | string,
): string {
  const columns = [...(relations.get(relation)?.keys() ?? [])];
  const turned = (from: number) => {
    const next = new URLSearchParams(parameters);
    next.set('from', String(from));
    return tablePath(relation, '', next);
  };
  const whole = new URLSearchParams(parameters);
  for (const name of ['from', 'most']) whole.delete(name);
  return shell({
    title: `firn: ${relation}`,
    live,
    firnVersion,
    body: html`<header><p class="brand"><b>firn</b> <a href="/">report</a> <a href="/tables">tables</a></p><h1>${relation}</h1><p>${comments.get(relation)}</p></header><main id="main" tabindex="-1">
${form(relation, columns, query, parameters)}
<p>Download what is filtered: <a href="${tablePath(relation, '.csv', whole)}">CSV</a>, <a href="${tablePath(relation, '.parquet', whole)}">Parquet</a>; <a href="/sql?${new URLSearchParams({ q: query.sql }).toString()}">ask on in SQL</a>.</p>
${
  typeof found === 'string'
    ? html`<p class="bad" role="alert">${found}</p>`
    : html`${rowsTable(found, found.rows.length === 0 ? 'No rows' : `Rows ${countText(query.from + 1)} to ${countText(query.from + found.rows.length)}`)}
<p>${query.from > 0 && html`<a href="${turned(Math.max(0, query.from - query.most))}">Previous</a> `}${found.more && html`<a href="${turned(query.from + query.most)}">Next</a>`}</p>`
}</main>`,
  });
}

function form(relation: string, columns: readonly string[], query: TableQuery, parameters: URLSearchParams): Html {
  const filters = [
    ...query.filters,
    ...Array.from({ length: emptyFilters }, () => ({ column: '', operator: 'has', value: '' })),
  ];
  const option = (value: string, text: string, chosen: string) =>
    html`<option value="${fieldValue(value)}" ${value === chosen && html`selected`}>${text}</option>`;
  const first = columns[0] ?? '';
  return html`<form class="controls" action="${tablePath(relation)}" method="get" aria-label="Filter and sort">
${filters.map(
  ({ column, operator, value }, place) =>
    html`<fieldset class="choices"><legend class="vh">Filter ${place + 1}</legend><select name="c" aria-label="Column">${columns.map((name) => option(name, name, column || first))}</select><select name="o" aria-label="Comparison">${Object.entries(operators).map(([word, { sign }]) => option(word, sign, operator))}</select><input name="v" value="${fieldValue(value)}" aria-label="Value"></fieldset>`,
)}
${[query.sort[0] ?? '', ...query.sort.slice(1)].map(
  (chosen, place) =>
    html`<label>${place === 0 ? 'Sort by' : 'then by'} <select name="sort">${option('', place === 0 ? 'the order of the table' : 'nothing else', chosen)}${columns.map((name) => html`${option(name, `${name}, smallest first`, chosen)}${option(`-${name}`, `${name}, largest first`, chosen)}`)}</select></label>
`,
)}${['column', 'most'].map((name) => parameters.getAll(name).map((value) => html`<input type="hidden" name="${name}" value="${fieldValue(value)}">`))}<button>Show</button></form>`;
}

/** Address of a table. */
export const tablePath = (relation: string, kind = '', parameters?: URLSearchParams): string =>
  `/tables/${encodeURIComponent(relation)}${kind}${parameters?.size ? `?${parameters}` : ''}`;
