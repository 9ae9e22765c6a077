import { fieldValue, html } from '../markup/html.ts';
import { shell } from '../markup/shell.ts';
import type { QueryRows } from '../query/queryRequest.ts';
import { plural } from '../texts/numberText.ts';
import { rowsTable } from './rowsTable.ts';
import type { TablesContext } from './tablesContext.ts';

/**
 * The box for SQL.
 *
 * @param found its result, why there is none, or null where nothing was run
 */
export function sqlPage({ live, firnVersion }: TablesContext, sql: string, found: QueryRows | string | null): string {
  return shell({
    title: 'firn: SQL',
    live,
    firnVersion,
    body: html`<header><p class="brand"><b>firn</b> <a href="/">report</a> <a href="/tables">tables</a></p><h1>SQL</h1></header><main id="main" tabindex="-1">
<form action="/sql" method="get"><p><label for="q">One SELECT on the published tables</label></p><textarea id="q" name="q" spellcheck="false" placeholder="SELECT * FROM mart.metric_daily ORDER BY chain_id, &quot;day&quot; DESC" required>${fieldValue(sql)}</textarea><p><button>Run</button></p></form>
${
  found === null
    ? html`<p class="note">It is read-only: it reaches no files, loads no extensions, and ends after 10 s.</p>`
    : typeof found === 'string'
      ? html`<p class="bad" role="alert">${found}</p>`
      : rowsTable(found, `${plural(found.rows.length, 'row')}${found.more ? '; there are more' : ''}`)
}</main>`,
  });
}
