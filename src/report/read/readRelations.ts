import type { Reader } from '../../publish/reader/openReader.ts';
import * as queries from './queries.ts';
import { type ReportRow, text } from './rowValues.ts';

/** Tables and views of a reader database, as `schema.name`, with the types of their columns. */
export type Relations = ReadonlyMap<string, ReadonlyMap<string, string>>;

export type RelationQuery = Pick<Reader, 'query'>;

export async function readRelations(reader: RelationQuery): Promise<Relations> {
  const relations = new Map<string, Map<string, string>>();
  for (const row of await reader.query<ReportRow>(queries.relationsSql)) {
    const columns = relations.get(text(row['relation'])) ?? new Map<string, string>();
    relations.set(text(row['relation']), columns.set(text(row['column']), text(row['type'])));
  }
  return relations;
}

/** Reads the rows of a query about a relation; none where the relation is not there yet. */
export type RowsOf = (
  relation: string,
  sql: string,
  values?: Parameters<RelationQuery['query']>[1],
) => Promise<ReportRow[]>;

export const rowsIn =
  (reader: RelationQuery, relations: Relations): RowsOf =>
  async (relation, sql, values) =>
    relations.has(relation) ? reader.query<ReportRow>(sql, values) : [];

/** The comments of tables and views, by `schema.name`. */
export async function readComments(reader: RelationQuery): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.query<ReportRow>(queries.relationCommentsSql);
  return new Map(rows.map((row) => [text(row['relation']), text(row['comment'])]));
}
