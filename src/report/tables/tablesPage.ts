import { html } from '../markup/html.ts';
import { shell } from '../markup/shell.ts';
import { wide } from '../markup/wide.ts';
import { plural } from '../texts/numberText.ts';
import { tablePath } from './tablePage.ts';
import type { TablesContext } from './tablesContext.ts';

/** Schemas in the order in which people look for things: those made to be read come first. */
const schemas = ['mart', 'refs', 'staging', 'raw', 'firn'];
const rankOf = (relation: string) => schemas.indexOf(relation.split('.')[0] ?? '');

/** Every published table and view. */
export function tablesPage({ relations, comments, live, firnVersion }: TablesContext): string {
  const names = [...relations.keys()].toSorted((one, other) => rankOf(one) - rankOf(other));
  return shell({
    title: 'firn: tables',
    live,
    firnVersion,
    body: html`<header><p class="brand"><b>firn</b> <a href="/">report</a></p><h1>Tables</h1></header><main id="main" tabindex="-1"><p>${plural(names.length, 'table')} and views of the published version, to filter, sort and download; <a href="/sql">or ask in SQL</a>.</p>
<section id="tables" aria-label="Tables"><div ${wide('List of tables')}><table><caption>Marts first</caption><thead><tr><th scope="col">table<th scope="col">what it holds<th scope="col" class="n">columns</thead><tbody>${names.map(
      (name) =>
        html`<tr><th scope="row"><a href="${tablePath(name)}">${name}</a><td class="prose">${comments.get(name) ?? '–'}<td class="n">${relations.get(name)?.size ?? 0}\n`,
    )}</tbody></table></div></section></main>`,
  });
}
