import { readConfig } from '../config.ts';
import type { RegisterCommand } from '../runCli.ts';
import { textTable } from '../textTable.ts';
import { withWarehouse } from '../withWarehouse.ts';

/** `firn state`: where every partition stands; `reset` makes partitions be read from their beginning again. */
export const stateCommand: RegisterCommand = (program, act) => {
  const state = program.command('state').description('list the checkpoints, or reset some');
  state
    .command('list', { isDefault: true })
    .description('where every partition stands')
    .action(
      act(({ global, console }) =>
        withWarehouse(readConfig(global), async (warehouse) => {
          const rows = await warehouse.query<Record<string, string>>(
            'SELECT stream, "partition", "position", updated_at FROM firn.checkpoint ORDER BY stream, "partition"',
          );
          console.data(rows);
          const header = ['stream', 'partition', 'position', 'updated_at'];
          console.print(
            textTable(
              header,
              rows.map((row) => header.map((name) => String(row[name]))),
            ) || 'No checkpoints yet.',
          );
          return 0;
        }),
      ),
    );
  state
    .command('reset <stream> [partition]')
    .description('forget checkpoints: the next sync reads again and merges by key, no row is lost or doubled')
    .action(
      act(({ global, console }, stream: string, partition: string | undefined) =>
        withWarehouse(readConfig(global), async (warehouse) => {
          const where = `stream = $1${partition === undefined ? '' : ' AND "partition" = $2'}`;
          const values = partition === undefined ? [stream] : [stream, partition];
          const gone = await warehouse.query(
            `DELETE FROM firn.checkpoint WHERE ${where} RETURNING "partition"`,
            values,
          );
          console.data(gone);
          console.print(
            gone.length === 0
              ? `No checkpoint of ${stream}${partition ? ` (${partition})` : ''}.`
              : `Forgot ${gone.length} checkpoints of ${stream}.`,
          );
          return gone.length === 0 ? 1 : 0;
        }),
      ),
    );
};
