/** A row of the reader database: BIGINT as bigint, DECIMAL and TIMESTAMP as text. */
export type ReportRow = Record<string, unknown>;

/** Text of a column; empty where it is NULL. */
export const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** The series and verdict that a row is about. */
export const verdictOf = (row: ReportRow) => ({
  chainId: text(row['chain_id']),
  metric: text(row['metric']),
  interval: text(row['time_interval']),
  verdict: text(row['verdict']),
  variant: row['variant'] as string | null,
  scale: row['scale'] as string | null,
});

/** A count; 0 where it is NULL. */
export const count = (value: unknown): number => Number(value ?? 0);

/** A number; null where it is NULL. */
export const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);
