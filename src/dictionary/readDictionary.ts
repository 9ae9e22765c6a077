import type { Layouts } from '../core/columns/layout.ts';
import { parquetColumns } from '../core/columns/parquetColumns.ts';
import { identifier, nameOf, qualified } from '../core/text/sqlText.ts';
import { isInFiles } from '../publish/files/planFiles.ts';
import { type CatalogueTable, publishedTables } from '../publish/files/publishedTables.ts';
import type { Reader } from '../publish/reader/openReader.ts';
import type { DictionaryTable } from './dataDictionary.ts';

/** Rows that are looked at for an example. */
const sample = 1_000;

/** What a dictionary is read from. */
export interface DictionarySource {
  /** What firn makes for what is declared, with the types of the state. */
  readonly declared: readonly CatalogueTable[];
  /** What is published. */
  readonly reader: Pick<Reader, 'query'>;
  readonly layouts?: Layouts;
}

/** Reads what the data dictionary says: every table that is declared or published, how its files are ordered, and a published value of each column. */
export async function readDictionary(source: DictionarySource): Promise<readonly DictionaryTable[]> {
  const { declared, reader, layouts = new Map() } = source;
  const published = new Map((await publishedTables(reader)).map((table) => [nameOf(table), table]));
  const known = new Map([...[...published.values()].map(asMade), ...declared].map((table) => [nameOf(table), table]));
  // That one tells of the reader database itself.
  known.delete('firn.published');
  const tables: DictionaryTable[] = [];
  for (const [name, table] of [...known].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const inFiles = isInFiles(table, layouts);
    const parquet = new Map(inFiles ? parquetColumns(table).map((column) => [column.name, column.type]) : []);
    const shown = published.get(name);
    const examples = shown && !shown.isEmpty ? await readExamples(reader, shown) : {};
    tables.push({
      schema: table.schema,
      name: table.name,
      kind: table.viewSql === undefined ? 'table' : 'view',
      comment: table.comment,
      inFiles,
      sortedBy: layouts.get(name)?.sort ?? [],
      columns: table.columns.map((column) => ({
        name: column.name,
        type: column.type,
        parquetType: parquet.get(column.name),
        comment: column.comment,
        example: examples[column.name] ?? null,
      })),
    });
  }
  return tables;
}

/** Readers see a table that has files as a view over them. */
const asMade = (table: CatalogueTable): CatalogueTable =>
  table.viewSql?.includes('read_parquet(') ? { ...table, viewSql: undefined } : table;

async function readExamples(
  reader: Pick<Reader, 'query'>,
  table: CatalogueTable,
): Promise<Record<string, string | null>> {
  const values = table.columns.map(({ name, type }) => {
    const text = type === 'BLOB' ? `hex(${identifier(name)})` : `CAST(${identifier(name)} AS VARCHAR)`;
    return `any_value(nullif(${text}, '')) AS ${identifier(name)}`;
  });
  const rows = await reader.query<Record<string, string | null>>(
    `SELECT ${values.join(', ')} FROM (SELECT * FROM ${qualified(table)} LIMIT ${sample})`,
  );
  return rows[0] ?? {};
}
