/** A TIMESTAMP of UTC in ISO 8601, as an expression of PostgreSQL. */
export const isoTime = (at: string): string => `to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
