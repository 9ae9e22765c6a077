import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { FirnError } from '../../core/firnError.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import { readPinned } from '../../load/bookkeeping/pinnedNetwork.ts';
import { queryUnresolved } from '../../load/bookkeeping/unresolved.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { cutTexts } from '../../report/texts/cutTexts.ts';
import { plural } from '../../report/texts/numberText.ts';
import { planStreams } from '../../run/planStreams.ts';
import { namedNetwork } from '../../run/settings.ts';
import { acceptQuarantine, type QuarantineChoice, reopenQuarantine } from '../../run/upkeep/acceptQuarantine.ts';
import { type Replayed, replayQuarantine } from '../../run/upkeep/replayQuarantine.ts';
import { readConfig } from '../config/config.ts';
import { readConfigured } from '../config/configured.ts';
import { acceptDocument, quarantineDocument, reopenDocument, replayDocument } from '../json/stateDocuments.ts';
import { withWarehouse } from '../open/withProject.ts';
import { withQuarantine } from '../open/withQuarantine.ts';
import { count } from '../options/optionValues.ts';
import { type RegisterCommand, refuseWords } from '../registerCommand.ts';
import { textTable } from '../text/textTable.ts';

interface ListOptions {
  readonly all?: boolean;
  readonly accepted?: boolean;
  readonly limit: number;
}

interface ChoiceOptions {
  readonly select?: string[];
  readonly matching?: string;
  readonly all?: boolean;
}

/** `firn quarantine`: records that could not be read, with the reason; `replay` tries them again, `accept` leaves them unread. */
export const quarantineCommand: RegisterCommand = (program, act) => {
  const quarantine = program
    .command('quarantine')
    .description('list records that could not be read, try them again, or accept that they stay unread');
  for (const add of [addList, addReplay, addAccept, addReopen]) add(quarantine, act);
};

const addList: RegisterCommand = (quarantine, act) => {
  quarantine
    .command('list', { isDefault: true })
    .description('the records with their reasons, newest first')
    .addOption(new Option('--accepted', 'those that were accepted, when and why').conflicts('all'))
    .option('--all', 'all records, with those that were accepted or read later')
    .addOption(new Option('--limit <records>', 'most records that are listed').argParser(count).default(1000))
    .allowExcessArguments()
    .action(
      act(({ global, console }, options: ListOptions, command: Command) => {
        refuseWords(command);
        return withQuarantine(readConfig(global), async (warehouse) => {
          const { entries, more } = await listQuarantine(warehouse, options);
          console.data(quarantineDocument, { records: entries, more: more > 0 });
          console.print(options.accepted ? acceptedText(entries) : entriesText(entries));
          if (more > 0) console.print(moreText(more));
          return 0;
        });
      }),
    );
};

const addReplay: RegisterCommand = (quarantine, act) => {
  quarantine
    .command('replay')
    .description('read the records again with the schemas of this version')
    .option('-s, --select <stream...>', 'stream names and globs')
    .action(
      act(async ({ global, console, signal }, { select }: { select?: string[] }) => {
        const { settings, registry } = await readConfigured(global);
        const planned = planStreams(settings, registry.catalogue, { select });
        const tell = (results: readonly Replayed[], unresolved: Unresolved) => {
          console.data(replayDocument, { partitions: results });
          const rows = results.map(({ stream, partition, tried, readable }) => [stream, partition, tried, readable]);
          console.print(textTable(['stream', 'partition', 'tried', 'readable now'], rows) || nothingTried(unresolved));
          return unresolved.records === 0 ? 0 : 4;
        };
        if (settings.engine) {
          const { replayLedger } = await import('../../cluster/worker/replayLedger.ts');
          const { results, unresolved } = await replayLedger(settings, planned, signal);
          return tell(results, unresolved);
        }
        return withWarehouse({ settings, registry }, async (warehouse) => {
          const network = await readPinned(warehouse, namedNetwork(settings));
          if (!network) throw nothingRead;
          const results = await replayQuarantine(warehouse, planned, network, randomUUID());
          return tell(results, await queryUnresolved(warehouse));
        });
      }),
    );
};

const addAccept: RegisterCommand = (quarantine, act) => {
  chosen(quarantine.command('accept [id...]'), 'accept that records stay unread: runs no longer end with 4 for them')
    .requiredOption('--reason <text>', 'why; it is kept with them')
    .action(
      act(({ global, console }, ids: string[], options: ChoiceOptions & { reason: string }) => {
        const choice = choiceOf(ids, options);
        const because = options.reason.trim();
        if (because === '') throw new FirnError('usage', '--reason is empty. Say why these records need not be read.');
        return withQuarantine(readConfig(global), async (warehouse) => {
          const accepted = await acceptQuarantine(warehouse, choice, because);
          const { records: unresolved } = await queryUnresolved(warehouse);
          console.data(acceptDocument, { accepted, unresolved });
          console.print(`${plural(accepted, 'record')} accepted. ${leftText(unresolved)}`);
          return 0;
        });
      }),
    );
};

const addReopen: RegisterCommand = (quarantine, act) => {
  chosen(quarantine.command('reopen [id...]'), 'undo an accept').action(
    act(({ global, console }, ids: string[], options: ChoiceOptions) => {
      const choice = choiceOf(ids, options);
      return withQuarantine(readConfig(global), async (warehouse) => {
        const reopened = await reopenQuarantine(warehouse, choice);
        const { records: unresolved } = await queryUnresolved(warehouse);
        console.data(reopenDocument, { reopened, unresolved });
        console.print(`${plural(reopened, 'record')} reopened. ${leftText(unresolved)}`);
        return 0;
      });
    }),
  );
};

/** Records stay in quarantine, too, of what was not selected, or is not configured any more. */
const nothingTried = ({ records, streams }: Unresolved) =>
  records === 0
    ? 'Nothing is in quarantine.'
    : `Nothing was tried: ${plural(records, 'record')} in quarantine, of ${streams.map(({ stream }) => stream).join(', ')}, from partitions that were not selected or are not in the configuration. Name them to try them again, or accept the records.`;

const nothingRead = new FirnError('usage', 'Nothing was read into this warehouse yet. Run "firn sync" first.');

/** Adds the options that say which records are meant. */
const chosen = (command: Command, description: string): Command =>
  command
    .description(description)
    .option('-s, --select <stream...>', 'stream names and globs')
    .option('--matching <text>', 'part of the reason why they could not be read')
    .option('--all', 'all of them');

function choiceOf(ids: readonly string[], { select, matching, all }: ChoiceOptions): QuarantineChoice {
  const wrong = ids.find((id) => !/^[1-9]\d{0,17}$/.test(id));
  if (wrong !== undefined)
    throw new FirnError('usage', `"${wrong}" is not an id. The first column of "firn quarantine" has them.`);
  return { ids: ids.map(BigInt), streams: select, matching, all };
}

const leftText = (unresolved: number): string =>
  unresolved === 0 ? 'Nothing is unresolved.' : `${plural(unresolved, 'record')} unresolved.`;

/** An entry as it is listed; times are RFC 3339. */
interface Entry {
  readonly [member: string]: unknown;
  readonly id: bigint;
  readonly loadId: bigint;
  readonly stream: string;
  readonly partition: string;
  readonly reason: string;
  readonly record: string;
  readonly timesSeen: bigint;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly replayedAt: string | null;
  readonly acceptedAt: string | null;
  readonly acceptedBecause: string | null;
}

/** Bytes of records that are listed at most, beyond the first: each may have as many as an answer. */
const mostBytes = 64_000_000;

/** The newest entries, and how many more there are. */
async function listQuarantine(
  warehouse: Warehouse,
  { all, accepted, limit }: ListOptions,
): Promise<{ entries: Entry[]; more: number }> {
  const moment = (column: string) => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
  const open = 'WHERE replayed_at IS NULL';
  const which = all ? '' : accepted ? `${open} AND accepted_at IS NOT NULL` : `${open} AND accepted_at IS NULL`;
  const entries = await warehouse.query<Entry>(
    `SELECT id, load_id AS "loadId", stream, "partition", reason, record, times_seen AS "timesSeen",
       ${moment('quarantined_at')} AS "firstSeenAt", ${moment('last_seen_at')} AS "lastSeenAt", ${moment('replayed_at')} AS "replayedAt",
       ${moment('accepted_at')} AS "acceptedAt", accepted_because AS "acceptedBecause"
     FROM firn.quarantine JOIN (
       SELECT id, row_number() OVER newest AS place, sum(strlen(record)) OVER newest - strlen(record) AS bytes_before
       FROM firn.quarantine ${which} WINDOW newest AS (ORDER BY last_seen_at DESC, id)
     ) USING (id) WHERE place <= $1 AND bytes_before < ${mostBytes} ORDER BY place`,
    [limit],
  );
  const [held] = await warehouse.query<{ records: bigint }>(`SELECT count(*) AS records FROM firn.quarantine ${which}`);
  return { entries, more: Number(held?.records ?? 0) - entries.length };
}

const moreText = (more: number): string =>
  `and ${plural(more, 'older record')}: --limit lists more, and the table firn.quarantine has all that are published`;

const shortMoment = (text: string): string => text.slice(0, 19).replace('T', ' ');

function entriesText(entries: readonly Entry[]): string {
  const rows = entries.map(({ id, stream, partition, timesSeen, lastSeenAt, reason, record }) => [
    String(id),
    stream,
    partition,
    Number(timesSeen),
    shortMoment(lastSeenAt),
    reason,
    cutTexts(record, 60),
  ]);
  const header = ['id', 'stream', 'partition', 'times', 'last seen (UTC)', 'reason', 'record'];
  return textTable(header, rows) || 'Nothing is in quarantine.';
}

function acceptedText(entries: readonly Entry[]): string {
  const rows = entries.map(({ id, stream, partition, acceptedAt, acceptedBecause, reason }) => [
    String(id),
    stream,
    partition,
    shortMoment(acceptedAt ?? ''),
    acceptedBecause ?? '',
    reason,
  ]);
  const header = ['id', 'stream', 'partition', 'accepted (UTC)', 'because', 'reason'];
  return textTable(header, rows) || 'Nothing was accepted.';
}
