import { element } from '../element.ts';
import { pager } from '../pager.ts';

export interface LiveBucket {
  readonly chain: string;
  /** TIMESTAMP text: the start of the bucket and of the next one. */
  readonly from: string;
  readonly until: string;
}

/** A page of a table, as the server sends it. */
interface TablePage {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const rowsPerPage = 20;

/** The columns worth showing beside a bucket; the table page has all of them. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'mart.fct_block': ['number', 'block_time', 'tx_count', 'gas_used', 'fees_paid', 'hash'],
  'mart.fct_transaction': ['number', 'tx_index', 'from_address', 'to_address', 'value', 'gas_used', 'fee_paid', 'hash'],
};

/** Blocks and transactions of a bucket, fetched from the server a page at a time. */
export function liveRows({ chain, from, until }: LiveBucket): HTMLElement {
  const query = (table: string) => {
    const parameters = new URLSearchParams({ sort: 'number' });
    const filters = [
      ['chain_id', 'eq', chain],
      ['block_time', 'ge', from],
      ['block_time', 'lt', until],
    ] as const;
    for (const [column, operator, value] of filters) {
      parameters.append('c', column);
      parameters.append('o', operator);
      parameters.append('v', value);
    }
    if (table === 'mart.fct_transaction') parameters.append('sort', 'tx_index');
    return parameters;
  };
  const list = (noun: string, table: string) => {
    const names = shown[table] ?? [];
    const { root, reset } = pager({
      caption: `${noun}, lowest block first`,
      names,
      perPage: rowsPerPage,
      total: null,
      async read(at, most) {
        const parameters = query(table);
        for (const name of names) parameters.append('column', name);
        parameters.set('from', String(at));
        parameters.set('most', String(most));
        const answer = await fetch(`/tables/${table}.json?${parameters}`);
        if (!answer.ok) throw new Error((await answer.text()).trim());
        return ((await answer.json()) as TablePage).rows.map((row) => row.map((value) => value ?? '–'));
      },
    });
    reset();
    return [
      element(
        'h3',
        {},
        `${noun} `,
        element('small', {}, element('a', { href: `/tables/${table}?${query(table)}` }, 'filter, sort, download')),
      ),
      root,
    ];
  };
  return element('div', {}, list('Blocks', 'mart.fct_block'), list('Transactions', 'mart.fct_transaction'));
}
