import type { Row } from '../../../src/core/columns/columnType.ts';
import type { ParsedPage } from '../../../src/core/parse/parseRecords.ts';

/** A page with its rows as objects. */
export interface PageObjects extends Omit<ParsedPage, 'set'> {
  readonly rows: readonly Row[];
  readonly children: Readonly<Record<string, readonly Row[]>>;
}

export const objectsOf = ({ set, ...page }: ParsedPage): PageObjects => ({
  ...page,
  rows: set.own.toObjects(),
  children: Object.fromEntries(Object.entries(set.children).map(([name, rows]) => [name, rows.toObjects()])),
});
