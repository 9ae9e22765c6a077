import { type Expected, expected, type Wanted } from './expected.ts';
import type { World } from './world.ts';

export type Query = <R extends object = Record<string, unknown>>(sql: string) => Promise<R[]>;

/** Says what is wrong with a warehouse that had time to read all there is; nothing where it is as it should be. */
export async function judge(query: Query, world: World, wanted: Wanted): Promise<string[]> {
  const held = await query<{ hash: string | null }>(
    `SELECT unnest(regexp_extract_all(record, '0x[0-9a-f]{64}')) AS hash FROM firn.quarantine WHERE stream LIKE 'data/%' AND replayed_at IS NULL`,
  );
  const hashes = new Set(held.map(({ hash }) => hash));
  const wrong: string[] = [];
  for (const one of expected(world, wanted)) {
    const found = await query<{ line: string }>(one.sql);
    wrong.push(
      ...differences(
        one,
        found.map(({ line }) => line),
        hashes,
      ),
    );
  }
  return wrong;
}

/** @param held hashes of transactions that could not be read: they are kept as they came, and told */
function* differences({ what, rows }: Expected, found: readonly string[], held: ReadonlySet<string | null>) {
  const [inFound, inRows] = [countsOf(found), countsOf(rows)];
  const missing = [...inRows].filter(
    ([row, count]) => (inFound.get(row) ?? 0) < count && !held.has(row.split('|')[0] as string),
  );
  const extra = [...inFound].filter(([row, count]) => (inRows.get(row) ?? 0) < count);
  if (missing[0]) yield `${what}: ${missing.length} rows are missing of ${rows.length}, such as ${missing[0][0]}`;
  if (extra[0])
    yield `${what}: ${extra.length} rows are too many (${found.length} of ${rows.length}), such as ${extra[0][0]}`;
}

function countsOf(rows: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}
