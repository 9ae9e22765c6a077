import type { Table } from '../../core/columns/table.ts';
import { FirnError } from '../../core/firnError.ts';
import { keyText } from '../../load/state/ensureTables.ts';
import type { Sql } from './control.ts';

/**
 * Notes which keys tables have, and makes sure that what was read of them has these: newer rows take the place of older ones by their key.
 *
 * @throws FirnError `newer_warehouse`
 */
export async function refuseOtherKeys(control: Sql, tables: readonly Table[]): Promise<void> {
  const isFilled = `EXISTS (SELECT 1 FROM firn.batch_file AS f WHERE f.table_name = k.table_name)`;
  const [other] = await control.query<{ name: string; was: string; is: string }>(
    `WITH given AS (SELECT * FROM unnest($1::text[], $2::text[]) AS g (name, key)),
     noted AS (
       INSERT INTO firn.table_key AS k (table_name, key) SELECT name, key FROM given ORDER BY name
       ON CONFLICT (table_name) DO UPDATE SET key = excluded.key WHERE k.key <> excluded.key AND NOT ${isFilled}
     )
     SELECT name, k.key AS was, given.key AS is FROM given JOIN firn.table_key AS k ON k.table_name = name
     WHERE k.key <> given.key AND ${isFilled} ORDER BY name LIMIT 1`,
    [tables.map(({ name }) => name), tables.map(keyText)],
  );
  if (!other) return;
  const { name, was, is } = other;
  throw new FirnError(
    'newer_warehouse',
    `The key of ${name} is ${was} in what this cluster has read, and ${is} here: its rows would stay beside those that are read from now on. Nothing was read or written. ` +
      'Upgrade firn on this machine; in a stream of your own, leave its key and that of its parent as they were, or give the stream another name.',
  );
}
