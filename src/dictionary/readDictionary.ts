import type { Layouts } from '../core/layout.ts';
import { identifier, nameOf, qualified } from '../core/sqlText.ts';
import { isInFiles } from '../publish/planFiles.ts';
import { type CatalogueTable, publishedTables } from '../publish/publishedTables.ts';
import type { PublishSource } from '../publish/publishSource.ts';
import { parquetColumns } from '../publish/typeProfile.ts';
import type { DictionaryTable } from './dataDictionary.ts';

/** Rows that are looked at for an example. */
const sample = 1_000;

/** Reads what the data dictionary says of a warehouse: its catalogue, how its files are ordered, and one value of each column. */
export async function readDictionary(
  source: Pick<PublishSource, 'query'>,
  layouts: Layouts = new Map(),
): Promise<readonly DictionaryTable[]> {
  const tables: DictionaryTable[] = [];
  for (const table of await publishedTables(source)) {
    const inFiles = isInFiles(table, layouts);
    const parquet = new Map(inFiles ? parquetColumns(table).map(({ name, type }) => [name, type]) : []);
    const examples = table.isEmpty ? {} : await readExamples(source, table);
    tables.push({
      schema: table.schema,
      name: table.name,
      kind: table.viewSql === undefined ? 'table' : 'view',
      comment: table.comment,
      inFiles,
      sortedBy: layouts.get(nameOf(table))?.sort ?? [],
      columns: table.columns.map(({ name, type, comment }) => ({
        name,
        type,
        parquetType: parquet.get(name),
        comment,
        example: examples[name] ?? null,
      })),
    });
  }
  return tables;
}

async function readExamples(
  source: Pick<PublishSource, 'query'>,
  table: CatalogueTable,
): Promise<Record<string, string | null>> {
  const values = table.columns.map(({ name, type }) => {
    const text = type === 'BLOB' ? `hex(${identifier(name)})` : `CAST(${identifier(name)} AS VARCHAR)`;
    return `any_value(nullif(${text}, '')) AS ${identifier(name)}`;
  });
  const rows = await source.query<Record<string, string | null>>(
    `SELECT ${values.join(', ')} FROM (SELECT * FROM ${qualified(table)} LIMIT ${sample})`,
  );
  return rows[0] ?? {};
}
