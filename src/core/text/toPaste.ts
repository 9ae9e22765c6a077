import { literal } from './sqlText.ts';

/** A named reading of a metric, with the name and the SELECT of its model. */
export interface ReadingOfModel {
  readonly name: string;
  readonly sql: string;
  readonly variant: string;
}

/** A query as people paste it into a client of their own, by a reading of the metric whose model it reads where one is given. */
export type ToPaste = (sql: string, reading?: ReadingOfModel) => string;

/** For clients of DuckDB: its views take the reading from a variable. */
export const toPaste: ToPaste = (sql, reading) =>
  reading ? `SET VARIABLE firn_variant = ${literal(reading.variant)};\n${sql};\nRESET VARIABLE firn_variant` : sql;
