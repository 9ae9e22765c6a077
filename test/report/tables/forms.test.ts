import { expect, test } from 'vitest';
import { sqlPage } from '../../../src/report/tables/sqlPage.ts';
import { tablePage } from '../../../src/report/tables/tablePage.ts';
import { tableQuery } from '../../../src/report/tables/tableQuery.ts';
import { withoutEmptyRows } from '../../../src/report/tables/withoutEmptyRows.ts';

const relation = 'mart.fct_block';
const columns = new Map(['number', 'hash', 'a\u{200d}b'].map((name) => [name, 'VARCHAR']));
const context = { relations: new Map([[relation, columns]]), comments: new Map(), live: '1', firnVersion: '0' };

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const read = (text = '') => text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '');

/** What a browser sends when the form of a page is submitted as it stands there. */
function sentOf(page: string): URLSearchParams {
  const [form = ''] = /<form.*?<\/form>/s.exec(page) ?? [];
  const fields = form.matchAll(
    /<input [^>]*?name="(\w+)" value="([^"]*)"|<select name="(\w+)".*?<\/select>|<textarea [^>]*name="(\w+)"[^>]*>([^<]*)/gs,
  );
  return new URLSearchParams(
    Array.from(fields, ([select, input, value, list, area, text]): [string, string] => {
      const [, chosen] = /value="([^"]*)" selected/.exec(select) ?? /value="([^"]*)"/.exec(select) ?? [];
      return [input ?? list ?? area ?? '', read(input ? value : list ? chosen : text)];
    }),
  );
}

const odd = 'a\u{200d}b\u{202e}c\u00ad"\'<&amp;>\\u{200d}';

test.each([
  '',
  `c=hash&o=eq&v=${encodeURIComponent(odd)}`,
  `c=${encodeURIComponent('a\u{200d}b')}&o=given&v=&column=${encodeURIComponent('a\u{200d}b')}&column=hash`,
  'c=number&o=ge&v=7&c=hash&o=has&v=0x&sort=-number',
  'sort=hash&sort=-number&sort=number&most=20',
])('the form of a table asks once more what was asked: %s', (asked) => {
  const queryOf = (sent: URLSearchParams) => tableQuery(relation, columns, withoutEmptyRows(sent));
  const parameters = new URLSearchParams(asked);
  const query = queryOf(parameters);
  expect(queryOf(sentOf(tablePage(context, relation, query, parameters, '')))).toEqual(query);
});

test.each(['', `SELECT '${odd}' -- </textarea>\n`])('the box for SQL asks once more what was asked: %j', (sql) => {
  const page = sqlPage(context, sql, null);
  expect(sentOf(page).get('q')).toBe(sql);
  expect(page.match(/<\/textarea/g)).toHaveLength(1);
});
