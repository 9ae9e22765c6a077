/** Relations that one statement asks about: each is a scan of its own to plan. */
const atOnce = 30;

/** Rows that a query finds by a SELECT of each item: of so many in one statement. @param union what joins them */
export async function queryEach<Row, Item>(
  query: (sql: string) => Promise<Row[]>,
  items: readonly Item[],
  select: (item: Item) => string,
  union: 'UNION' | 'UNION ALL' = 'UNION ALL',
): Promise<Row[]> {
  const found: Row[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    const each = items.slice(at, at + atOnce).map(select);
    found.push(...(await query(each.join(` ${union} `))));
  }
  return found;
}
