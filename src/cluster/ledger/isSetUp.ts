import type { Sql } from './control.ts';

/** Whether a worker has set a control database up: before the first one it holds nothing. */
export const isSetUp = async (control: Sql): Promise<boolean> =>
  // Not to_regclass: it may still say that there is none after another process made it.
  (await control.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'firn' AND tablename = 'warehouse'`)).length > 0;
