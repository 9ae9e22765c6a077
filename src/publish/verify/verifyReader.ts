import { nameOf } from '../../core/text/sqlText.ts';
import type { Manifest } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** Whether the reader database shows the version of the manifest: its number, and a view of each table over exactly its files. */
export async function verifyReader(lake: LakeConnection, manifest: Manifest): Promise<Failure[]> {
  const [published] = await lake.query<{ version: bigint }>('SELECT "version" FROM reader.firn.published');
  if (Number(published?.version) !== manifest.version) {
    const message = `it shows version ${published?.version}, the manifest is version ${manifest.version}; run \`firn publish\``;
    return [{ check: 'reader', item: 'analytics.duckdb', message }];
  }
  // One query for all: DuckDB binds every view to answer it, which opens their files.
  const views = await lake.query<{ schema: string; name: string; files: string }>(
    `SELECT schema_name AS "schema", view_name AS name, array_to_string(list_sort(regexp_extract_all(sql, '[^/'']+\\.parquet')), ' ') AS files
     FROM duckdb_views() WHERE database_name = 'reader'`,
  );
  const shown = new Map(views.map((view) => [nameOf(view), view.files]));
  const failures: Failure[] = [];
  for (const table of manifest.tables) {
    const view = shown.get(nameOf(table));
    const expected = table.files
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
      .sort()
      .join(' ');
    if (view === expected) continue;
    const message =
      view !== undefined ? 'its view does not name the files of the manifest' : 'the reader database has no view of it';
    failures.push({ check: 'reader', item: nameOf(table), message: `${message}; run \`firn publish\`` });
  }
  return failures;
}
