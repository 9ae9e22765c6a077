import { literal, nameOf } from '../../core/text/sqlText.ts';
import { escapeGlob } from '../../load/database/openDuckDb.ts';
import type { ManifestTable } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** Files whose footers are read by one query. */
const atOnce = 500;

/** Compares the row count of every file's footer with the manifest, and the files' sum with the table's. */
export async function verifyRows(
  lake: LakeConnection,
  tables: readonly ManifestTable[],
  folder: string,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const expected = new Map<string, number>();
  for (const table of tables) {
    const { rows, files } = table;
    const sum = files.reduce((total, file) => total + file.rows, 0);
    if (sum !== rows)
      failures.push({ check: 'rows', item: nameOf(table), message: `its files hold ${sum} of ${rows} rows` });
    for (const file of files) expected.set(file.path, file.rows);
  }
  const paths = [...expected.keys()];
  for (let from = 0; from < paths.length; from += atOnce) {
    const list = paths.slice(from, from + atOnce).map((path) => literal(escapeGlob(`${folder}/${path}`)));
    const footers = await lake.query<{ file: string; rows: bigint }>(
      `SELECT file_name AS file, num_rows AS "rows" FROM parquet_file_metadata([${list.join(', ')}])`,
    );
    for (const { file, rows } of footers) {
      const path = file.slice(folder.length + 1);
      if (Number(rows) === expected.get(path)) continue;
      failures.push({
        check: 'rows',
        item: path,
        message: `its footer says ${rows} rows, published with ${expected.get(path)}`,
      });
    }
  }
  return failures;
}
