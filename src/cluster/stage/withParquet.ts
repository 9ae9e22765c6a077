import { rm } from 'node:fs/promises';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';

/** The statement that writes what a SELECT gives to a Parquet file, as all files of a stage are. */
export const parquetSql = (select: string, path: string): string =>
  `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`;

/** Writes what a SELECT gives to a Parquet file for the time of `use`, which is told how many rows it holds. */
export async function withParquet<T>(
  from: Pick<Statements, 'run'>,
  select: string,
  path: string,
  use: (rows: number) => Promise<T>,
): Promise<T> {
  try {
    return await use(await from.run(parquetSql(select, path)));
  } finally {
    await rm(path, { force: true });
  }
}
