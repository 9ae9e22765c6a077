import { parquetColumns, type SourceColumn } from '../../core/columns/parquetColumns.ts';
import { FirnError, messageOf } from '../../core/firnError.ts';
import type { KeptAs, PlacedModel } from '../models/model.ts';
import { ModelError } from '../models/modelError.ts';

/**
 * Looks whether the columns of a relation are what the header of its model says.
 *
 * @throws ModelError where its files could not be written, and nothing at all be published; or its rows belong to no hours
 */
export function refuseColumns(
  { name: model, file, line, files, keptAs }: PlacedModel,
  columns: readonly Pick<SourceColumn, 'name' | 'type'>[],
): void {
  const [schema = '', name = ''] = model.split('.');
  const typeOf = (named: string) => columns.find((column) => column.name.toLowerCase() === named.toLowerCase())?.type;
  try {
    parquetColumns({ schema, name, columns: columns.map((column) => ({ ...column, nullable: true, comment: null })) });
    const time = files?.by?.column;
    for (const column of [files?.chain, time, ...(files?.sort ?? [])])
      if (column !== undefined && typeOf(column) === undefined)
        throw new Error(`The header's files name ${column}, which is no column of it.`);
    if (time !== undefined && !/^(DATE|TIMESTAMP)/.test(typeOf(time) ?? ''))
      throw new Error(`The header's files.time is ${time}, which is ${typeOf(time)}. Name a DATE or TIMESTAMP.`);
    // A day begins in an hour that blocks of its other hours do not change.
    for (const column of hourlyColumns(keptAs, columns))
      if (!typeOf(column)?.startsWith('TIMESTAMP'))
        throw new Error(
          `${column}, by which its rows belong to hours, is ${typeOf(column) ?? 'no column of it'}. Make it a TIMESTAMP; keep rows of days as table by bucket.`,
        );
  } catch (error) {
    throw new ModelError(model, new FirnError('failed', `${file}:${line}: ${messageOf(error)}`));
  }
}

/** The columns by which rows belong to the hours whose blocks changed. */
function hourlyColumns(keptAs: KeptAs, columns: readonly { readonly name: string }[]): readonly string[] {
  if (keptAs.kind === 'hours') return [keptAs.column];
  return keptAs.kind === 'earliest' ? columns.map(({ name }) => name).filter((name) => !keptAs.key.includes(name)) : [];
}
