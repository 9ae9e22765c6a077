import type { QueryResultRow } from 'pg';

/** Statements on PostgreSQL. Integers of 64 bits come as text. */
export interface Sql {
  /** @throws FirnError `unavailable` where the connection was lost: whether the statement was carried out is not known then */
  query<R extends object = QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** The database that all workers share. */
export interface Control extends Sql {
  /** Runs work in one transaction on one connection. Taken back where it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
