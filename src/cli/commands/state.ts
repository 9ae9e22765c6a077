import type { Command } from 'commander';
import { FirnError } from '../../core/firnError.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { plural } from '../../report/texts/numberText.ts';
import type { DropResult } from '../../retention/dropPartitions.ts';
import type { Registry } from '../../run/extend/registry.ts';
import { dropHistory } from '../../run/upkeep/dropHistory.ts';
import { type DroppedStream, dropStream, noStream } from '../../run/upkeep/dropStream.ts';
import { readConfig } from '../config/config.ts';
import { readConfigured } from '../config/configured.ts';
import { checkpointsDocument, dropDocument, resetDocument } from '../json/stateDocuments.ts';
import { withWarehouse } from '../open/withProject.ts';
import { days, utcDay } from '../options/optionValues.ts';
import { type RegisterCommand, refuseWords } from '../registerCommand.ts';
import { textTable } from '../text/textTable.ts';

/** `firn state`: list the checkpoint of every partition; `reset` makes partitions be read from their beginning again. */
export const stateCommand: RegisterCommand = (program, act) => {
  const state = program.command('state').description('list the checkpoints, reset some, or drop old rows');
  for (const add of [addList, addReset, addDrop]) add(state, act);
};

const addList: RegisterCommand = (state, act) => {
  state
    .command('list', { isDefault: true })
    .description('list the checkpoint of every partition')
    .allowExcessArguments()
    .action(
      act(({ global, console }, _: object, command: Command) => {
        refuseWords(command);
        return withWarehouse({ settings: readConfig(global) }, async (warehouse) => {
          const rows = await warehouse.query<Record<string, string>>(
            'SELECT stream, "partition", "position", updated_at FROM firn.checkpoint ORDER BY stream, "partition"',
          );
          console.data(checkpointsDocument, { checkpoints: rows });
          const header = ['stream', 'partition', 'position', 'updated_at'];
          console.print(
            textTable(
              header,
              rows.map((row) => header.map((name) => String(row[name]))),
            ) || 'No checkpoints yet.',
          );
          return 0;
        });
      }),
    );
};

const addReset: RegisterCommand = (state, act) => {
  state
    .command('reset <stream> [partition]')
    .description('forget checkpoints: the next sync reads again and merges by key, no row is lost or doubled')
    .action(
      act(async ({ global, console }, stream: string, partition: string | undefined) => {
        const { settings, registry } = await readConfigured(global);
        const streams = declared(registry);
        return withWarehouse({ settings, registry }, async (warehouse) => {
          const where = `stream = $1${partition === undefined ? '' : ' AND "partition" = $2'}`;
          const values = partition === undefined ? [stream] : [stream, partition];
          const gone = await warehouse.transaction(async (tx) => {
            const forget = (table: string) =>
              tx.query<{ partition: string }>(`DELETE FROM firn.${table} WHERE ${where} RETURNING "partition"`, values);
            // What is read key by key has no checkpoint, but notes of its keys.
            const rows = [...(await forget('checkpoint')), ...(await forget('lookup'))];
            return [...new Set(rows.map((row) => row.partition))];
          });
          if (gone.length === 0) {
            if (!streams.some(({ id }) => id === stream)) throw noStream(stream, streams);
            const which = partition ? ` (${partition})` : '';
            throw new FirnError(
              'not_found',
              `There is no checkpoint of ${stream}${which}. "firn state" lists them all.`,
            );
          }
          console.data(resetDocument, { stream, partitions: gone });
          console.print(`Forgot ${plural(gone.length, 'checkpoint')} of ${stream}.`);
          return 0;
        });
      }),
    );
};

const addDrop: RegisterCommand = (state, act) => {
  state
    .command('drop [stream] [partition]')
    .description(
      'drop the rows of a stream or of one of its partitions; or with --keep or --before old raw rows by whole months, while marts and metrics keep what was computed from them',
    )
    .option('--keep <days>', 'days to keep, counted back from the newest row, such as 400d', days)
    .option('--before <day>', 'drop rows from before the month of this day, such as 2025-03-01', utcDay)
    .option('--table <name...>', 'only these raw tables')
    .option('--dry-run', 'print what would be dropped, and change nothing')
    .action(
      act(
        async ({ global, console }, stream: string | undefined, partition: string | undefined, options: DropChoice) => {
          const { settings, registry } = await readConfigured(global);
          const drop =
            stream === undefined ? dropOld(options, registry) : dropOf(declared(registry), stream, partition, options);
          const result = await withWarehouse({ settings, registry }, drop);
          console.data(dropDocument, { ...result, dryRun: options.dryRun ?? false });
          console.print(dropText(result, options.dryRun ?? false));
          return 0;
        },
      ),
    );
};

const declared = ({ catalogue, actions }: Registry): readonly Declared[] => [...catalogue, ...actions];

type Drop = (warehouse: Warehouse) => Promise<DropResult | DroppedStream>;

function dropOf(
  streams: readonly Declared[],
  id: string,
  partition: string | undefined,
  { keep, before, table, dryRun = false }: DropChoice,
): Drop {
  if (keep !== undefined || before !== undefined || table !== undefined) {
    throw new FirnError('usage', '--keep, --before and --table are for old rows of all streams: leave the stream out.');
  }
  return (warehouse) => dropStream(warehouse, streams, id, partition, dryRun);
}

function dropOld({ keep, before, table: tables, dryRun = false }: DropChoice, registry: Registry): Drop {
  if ((keep === undefined) === (before === undefined)) {
    throw new FirnError(
      'usage',
      'Say what to drop: a stream, or --keep with days, such as 400d, or --before with a day such as 2025-03-01.',
    );
  }
  const from = before === undefined ? { days: keep ?? 0 } : { from: before };
  return (warehouse) =>
    dropHistory(warehouse, declared(registry), { keep: from, tables, dryRun, models: registry.models });
}

interface DropChoice {
  readonly keep?: number;
  readonly before?: Date;
  readonly table?: string[];
  readonly dryRun?: boolean;
}

function dropText(result: DropResult | DroppedStream, dryRun: boolean): string {
  const isOld = 'before' in result;
  const waiting =
    isOld && result.waiting.length > 0
      ? [`Not dropped yet, since blocks below others are still to be read: ${result.waiting.join(', ')}.`]
      : [];
  if (isOld && result.dropped.length === 0) {
    const older = `Nothing ${waiting.length > 0 ? 'else ' : ''}is older than ${result.before?.slice(0, 10) ?? 'that'}.`;
    return [...waiting, older].join('\n');
  }
  const header = ['table', isOld ? `rows before ${result.before?.slice(0, 10)}` : 'rows'];
  const rows = result.dropped.map(({ table, rows: own }) => [table, own]);
  const which = isOld ? [] : [`${result.stream}: ${result.partitions.join(' · ')}`];
  const next = isOld
    ? '"firn publish" removes them from the Parquet files; versions that are kept still show them.'
    : 'The next "firn run" makes every table again, and reads again what the configuration still names.';
  const last = dryRun ? 'Nothing was changed: this was a dry run.' : next;
  return [...which, ...waiting, textTable(header, rows), last].join('\n');
}
