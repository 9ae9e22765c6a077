import { nameOf, qualified } from '../../src/core/text/sqlText.ts';
import { publishedTables } from '../../src/publish/files/publishedTables.ts';
import type { PublishSource } from '../../src/publish/files/publishSource.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';

/** The relations that readers do not see as the state has them: other rows, or none. */
export async function unpublished(source: PublishSource): Promise<string[]> {
  const reader = await openReader(source.folder);
  try {
    const found: string[] = [];
    for (const table of await publishedTables(source)) {
      if (table.schema === 'firn') continue;
      const sql = `SELECT concat_ws(' ', count(*), sum(hash(${table.columns.map(({ name }) => `"${name}"`).join(', ')}))) AS rows FROM ${qualified(table)}`;
      const [own] = await source.query<{ rows: string }>(sql);
      const [shown] = await reader.query<{ rows: string }>(sql);
      if (own?.rows !== shown?.rows) found.push(`${nameOf(table)}: ${own?.rows} and ${shown?.rows}`);
    }
    return found;
  } finally {
    reader.close();
  }
}
