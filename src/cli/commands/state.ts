import type { Command } from 'commander';
import { FirnError, hasCode } from '../../core/firnError.ts';
import type { Declared } from '../../core/stream/stream.ts';
import { backfillCommand } from '../../load/bookkeeping/openBackfills.ts';
import { plural } from '../../report/texts/numberText.ts';
import type { DropResult } from '../../retention/dropPartitions.ts';
import type { Registry } from '../../run/extend/registry.ts';
import type { Project } from '../../run/openProject.ts';
import { configuredBegins, planStreams } from '../../run/planStreams.ts';
import { dropHistory } from '../../run/upkeep/dropHistory.ts';
import { type DroppedStream, dropStream } from '../../run/upkeep/dropStream.ts';
import { type ResetStream, resetStream } from '../../run/upkeep/resetStream.ts';
import { readConfig } from '../config/config.ts';
import { readConfigured } from '../config/configured.ts';
import { checkpointsDocument, dropDocument, resetDocument } from '../json/stateDocuments.ts';
import { withProject, withWarehouse } from '../open/withProject.ts';
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
    .description(
      'forget checkpoints, but not of backfills under way: the next sync reads again and merges by key, no row is lost or doubled',
    )
    .action(
      act(async ({ global, console }, stream: string, partition: string | undefined) => {
        const { settings, registry } = await readConfigured(global);
        return withWarehouse({ settings, registry }, async (warehouse) => {
          const result = await resetStream(warehouse, declared(registry), stream, partition);
          console.data(resetDocument, result);
          console.print(resetText(result));
          return 0;
        });
      }),
    );
};

function resetText({ stream, partitions, backfills }: ResetStream): string {
  const stays = backfills.map(
    ({ asked }) => `A backfill from ${asked} is under way and stays: ${backfillCommand({ stream, asked })} goes on.`,
  );
  return [`Forgot ${plural(partitions.length, 'checkpoint')} of ${stream}.`, ...new Set(stays)].join('\n');
}

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
          const drop = stream === undefined ? dropOld(options, registry) : dropOf(registry, stream, partition, options);
          const opened = partition === undefined ? without(registry, stream) : registry;
          const result = await withProject({ settings, registry: opened }, drop);
          console.data(dropDocument, { ...result, dryRun: options.dryRun ?? false });
          console.print(dropText(result, options.dryRun ?? false));
          return 0;
        },
      ),
    );
};

const declared = ({ catalogue, actions }: Registry): readonly Declared[] => [...catalogue, ...actions];

/** What is opened to drop a stream as a whole: its own tables need not be as it declares them now. */
const without = (registry: Registry, stream: string | undefined): Registry => ({
  ...registry,
  catalogue: registry.catalogue.filter(({ id }) => id !== stream),
});

type Drop = (project: Project) => Promise<DropResult | DroppedStream>;

function dropOf(
  registry: Registry,
  id: string,
  partition: string | undefined,
  { keep, before, table, dryRun = false }: DropChoice,
): Drop {
  if (keep !== undefined || before !== undefined || table !== undefined)
    throw new FirnError('usage', '--keep, --before and --table are for old rows of all streams: leave the stream out.');
  return async (project) => {
    const begins = await beginsOf(id, registry.catalogue, project);
    return dropStream(project.warehouse, declared(registry), id, { partition, dryRun, begins });
  };
}

/** Where the configuration has the partitions of a stream begin; nothing where it is wrong: rows may be dropped all the same. */
async function beginsOf(id: string, catalogue: Registry['catalogue'], { settings, knownNetwork }: Project) {
  try {
    const planned = planStreams(settings, catalogue).filter(({ stream }) => stream.id === id);
    return configuredBegins(planned, await knownNetwork());
  } catch (error) {
    if (hasCode(error, 'config')) return undefined;
    throw error;
  }
}

function dropOld({ keep, before, table: tables, dryRun = false }: DropChoice, registry: Registry): Drop {
  if ((keep === undefined) === (before === undefined))
    throw new FirnError(
      'usage',
      'Say what to drop: a stream, or --keep with days, such as 400d, or --before with a day such as 2025-03-01.',
    );
  const from = before === undefined ? { days: keep ?? 0 } : { from: before };
  return ({ warehouse }) =>
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
  const deeper = isOld ? [] : deeperText(result);
  const last = dryRun ? 'Nothing was changed: this was a dry run.' : next;
  return [...which, ...waiting, textTable(header, rows), ...deeper, last].join('\n');
}

/** Partitions of which the next sync does not read all again. */
const deeperText = ({ stream, backfills }: DroppedStream): string[] =>
  backfills.map(
    ({ partition, asked }) =>
      `${partition} shares rows with it and was read from ${asked} on. While firn.yaml names it, the next run reads it again from its "from" on, and ${backfillCommand({ stream, asked })} after that the rest.`,
  );
