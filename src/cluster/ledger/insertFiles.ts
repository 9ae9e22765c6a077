import { hash } from 'node:crypto';
import type { StagedBatch } from '../contract.ts';
import type { Sql } from './control.ts';
import { insert } from './insert.ts';

/** Notes files that wait to be applied, with their columns: each list of columns is kept once. */
export async function insertFiles(sql: Sql, files: readonly StagedBatch[]): Promise<void> {
  const lists = new Map(files.flatMap(({ columns }) => (columns ? [[hashOf(columns), columns] as const] : [])));
  await insert(
    sql,
    'file_columns',
    [...lists].map(([hash, names]) => ({ hash, names: JSON.stringify(names) })),
    'ORDER BY hash ON CONFLICT DO NOTHING',
  );
  await insert(
    sql,
    'batch_file',
    files.map(({ id, table, columns, ...file }) => ({
      ...file,
      batch_id: id,
      table_name: table,
      columns_hash: columns ? hashOf(columns) : null,
    })),
  );
}

const hashOf = (columns: readonly string[]) => hash('md5', JSON.stringify(columns));
