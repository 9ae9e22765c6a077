import { literal } from '../../core/sqlText.ts';
import type { Manifest } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** Whether the reader database shows the version of the manifest: its number, and a view of each table over exactly its files. */
export async function verifyReader(lake: LakeConnection, manifest: Manifest): Promise<Failure[]> {
  const [published] = await lake.query<{ version: bigint; root: string }>(
    `SELECT "version", root FROM reader.firn.published`,
  );
  if (Number(published?.version) !== manifest.version) {
    const message = `it shows version ${published?.version}, the manifest is version ${manifest.version}; run \`firn publish\``;
    return [{ check: 'reader', item: 'analytics.duckdb', message }];
  }
  const failures: Failure[] = [];
  for (const { schema, name, files } of manifest.tables) {
    const [view] = await lake.query<{ files: string[] | string }>(
      `SELECT array_to_string(list_sort(regexp_extract_all(sql, '[^/'']+\\.parquet')), ' ') AS files
       FROM duckdb_views() WHERE database_name = 'reader' AND schema_name = ${literal(schema)} AND view_name = ${literal(name)}`,
    );
    const expected = files
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
      .sort()
      .join(' ');
    if (view?.files === expected) continue;
    const message = view ? 'its view does not name the files of the manifest' : 'the reader database has no view of it';
    failures.push({ check: 'reader', item: `${schema}.${name}`, message: `${message}; run \`firn publish\`` });
  }
  return failures;
}
