import { FirnError } from '../../core/firnError.ts';
import type { DropResult } from '../../publish/dropPartitions.ts';
import { dropHistory } from '../../run/dropHistory.ts';
import { readConfig } from '../config.ts';
import { days, utcDay } from '../optionValues.ts';
import type { RegisterCommand } from '../runCli.ts';
import { textTable } from '../textTable.ts';
import { withWarehouse } from '../withWarehouse.ts';

/** `firn state`: where every partition stands; `reset` makes partitions be read from their beginning again. */
export const stateCommand: RegisterCommand = (program, act) => {
  const state = program.command('state').description('list the checkpoints, reset some, or drop old rows');
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
  state
    .command('drop')
    .description('drop old raw rows, whole months; marts and metrics keep what was computed from them')
    .option('--keep <days>', 'days that stay, counted back from the newest row, such as 400d', days)
    .option('--before <day>', 'rows from before the month of a day go, such as 2025-03-01', utcDay)
    .option('--table <name...>', 'only these raw tables')
    .option('--dry-run', 'say what would go, and change nothing')
    .action(
      act(async ({ global, console }, options: DropChoice) => {
        const { table: tables, dryRun = false } = options;
        const keep = keepOf(options);
        return withWarehouse(readConfig(global), async (warehouse) => {
          const result = await dropHistory(warehouse, { keep, tables, dryRun });
          console.data({ ...result, dryRun });
          console.print(dropText(result, dryRun));
          return 0;
        });
      }),
    );
};

interface DropChoice {
  readonly keep?: number;
  readonly before?: Date;
  readonly table?: string[];
  readonly dryRun?: boolean;
}

function keepOf({ keep, before }: DropChoice) {
  if (keep !== undefined && before === undefined) return { days: keep };
  if (before !== undefined && keep === undefined) return { from: before };
  throw new FirnError('usage', 'Say what goes: either --keep with days, such as 400d, or --before with a day.');
}

function dropText({ before, dropped }: DropResult, dryRun: boolean): string {
  if (dropped.length === 0) return `Nothing is older than ${before?.slice(0, 10) ?? 'that'}.`;
  const rows = dropped.map(({ table, rows: own }) => [table, own]);
  const last = dryRun
    ? 'Nothing was changed: this was a dry run.'
    : '"firn publish" takes them from the Parquet files; versions that are kept still show them.';
  return `${textTable(['table', `rows before ${before?.slice(0, 10)}`], rows)}\n${last}`;
}
