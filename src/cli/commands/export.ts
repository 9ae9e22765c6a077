import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  deprecatedDates,
  type ExportChoice,
  exportRequest,
  exportTypes,
} from '../../../pipelines/data-api/exportRequest.ts';
import { transactionExports } from '../../../pipelines/data-api/operations.ts';
import { hasCode } from '../../core/firnError.ts';
import { refuseLink } from '../../load/state/refuseLinks.ts';
import { countText, plural } from '../../report/texts/numberText.ts';
import { downloadExport } from '../../run/exports/downloadExport.ts';
import type { ExportContext } from '../../run/exports/exportContext.ts';
import { type ExportState, findExport, listExports } from '../../run/exports/exportState.ts';
import { followAsFarAsItGoes, followExport, refreshExport } from '../../run/exports/followExport.ts';
import { startExport } from '../../run/exports/startExport.ts';
import { firnCommand } from '../config/firnCommand.ts';
import { exportDocument } from '../json/exportDocument.ts';
import { type ActionContext, withActions } from '../open/withActions.ts';
import { bytes, duration } from '../options/optionValues.ts';
import type { Act, CliContext, RegisterCommand } from '../registerCommand.ts';
import type { Console } from '../terminal/console.ts';
import { textTable } from '../text/textTable.ts';

interface StartFlags {
  readonly type: string;
  readonly address: string[];
  readonly chain: string[];
  readonly firstDate?: string;
  readonly lastDate?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly operation?: string;
  readonly again?: boolean;
}

interface WaitFlags {
  readonly maxTime: number;
}

interface DownloadFlags extends WaitFlags {
  readonly output?: string;
  readonly maxBytes: number;
  readonly load: boolean;
}

const hour = 3_600_000;
const gibibyte = 2 ** 30;

const maxTime = (description: string) =>
  new Option('--max-time <time>', description).argParser(duration).default(hour, '1h');

/** `firn export`: transactions as files, made by the data service. */
export const exportCommand: RegisterCommand = (program, act) => {
  const command = program.command('export').description('let the data service export transactions, and load the files');
  startCommand(command, act);
  command
    .command('status [id]', { isDefault: true })
    .description('show the state of all exports that this warehouse asked for, or of one')
    .action(act((context, id: string | undefined) => run(context, 'status', (work) => status(work, id))));
  command
    .command('wait [id]')
    .description(
      'wait until an export is complete (without an id the newest), continuing where the service truncated it',
    )
    .addOption(maxTime('how long to wait, such as 30m'))
    .action(
      act((context, id: string | undefined, flags: WaitFlags) =>
        run(context, 'wait', async (work) => {
          const found = await work.withState((warehouse) => findExport(warehouse, work.service, id));
          const state = await followExport(work, found, { waitMs: flags.maxTime });
          show(work.console, [state]);
          work.console.note(`Complete. Next: ${firnCommand(work.global)} export download ${state.id}`);
          return 0;
        }),
      ),
    );
  command
    .command('download [id]')
    .description('wait for an export, download its files, and load their rows into raw.data_export_rows')
    .addOption(maxTime('how long to wait for it, such as 30m'))
    .option('--output <folder>', 'folder for the files; exports/ in the warehouse if omitted')
    .addOption(
      new Option('--max-bytes <size>', 'largest file taken, such as 500MB; unpacked it may be 20 times that')
        .argParser(bytes)
        .default(gibibyte, '1 GiB'),
    )
    .option('--no-load', 'only download')
    .action(
      act((context, id: string | undefined, flags: DownloadFlags) =>
        run(context, 'download', (work) => download(work, id, flags)),
      ),
    );
};

function startCommand(command: Command, act: Act): void {
  command
    .command('start')
    .description('ask for an export, once: the same request again shows its state')
    .requiredOption('--type <type>', `${Object.keys(exportTypes).join(', ')}, or the service's own name`)
    .requiredOption(
      '--address <address...>',
      'EVM addresses, or with the Primary Network types P-, X- and 0x addresses',
    )
    .requiredOption('--chain <chain...>', 'EVM chain ids; with the Primary Network types p-chain, x-chain, c-chain')
    .option('--first-date <date>', 'first day, YYYY-MM-DD; the beginning if omitted')
    .option('--last-date <date>', 'last day, included; today if omitted')
    .option('--start-date <date>', 'deprecated: --first-date')
    .option('--end-date <date>', 'deprecated: --last-date')
    .option('--operation <id>', 'follow an operation that is already running instead of starting one')
    .option('--again', 'ask even if the same export was asked for before')
    .action(act((context, flags: StartFlags) => run(context, 'start', (work) => start(work, flags))));
}

type Work = ActionContext & ExportContext & Pick<CliContext, 'global' | 'console'>;

const run = (context: CliContext, name: string, use: (work: Work) => Promise<number>): Promise<number> =>
  withActions(context, `export ${name}`, name === 'start', (action) => {
    const places = { origin: new URL(action.data.url).origin, hosts: action.data.downloadHosts ?? [] };
    return use({ ...action, ...context, service: transactionExports, places });
  });

async function start(work: Work, flags: StartFlags): Promise<number> {
  const { console } = work;
  for (const [before, now] of Object.entries(deprecatedDates) as [keyof typeof deprecatedDates, string][]) {
    if (flags[before] === undefined) continue;
    console.note(`${before} is a deprecated name of the service's request: sent as ${now}. Both days are included.`);
  }
  const { address, chain, operation, again, ...rest } = flags;
  const split = (list: readonly string[]) => list.flatMap((item) => item.split(',')).filter((item) => item !== '');
  const choice: ExportChoice = { ...rest, addresses: split(address), chains: split(chain) };
  const body = exportRequest(choice, work.network);
  const { state, isNew } = await startExport(work, body, { operationId: operation, again });
  if (!isNew)
    console.note('The same export was asked for before, so no request was sent. --again asks for it once more.');
  show(console, [state]);
  console.note(`Next: ${firnCommand(work.global)} export download ${state.id}`);
  return 0;
}

async function status(work: Work, id: string | undefined): Promise<number> {
  const known = await work.withState(async (warehouse) =>
    id === undefined ? listExports(warehouse, work.service) : [await findExport(warehouse, work.service, id)],
  );
  const states: ExportState[] = [];
  let code = 0;
  for (const state of known) {
    try {
      states.push(await refreshExport(work, state));
    } catch (error) {
      // A service forgets old operations: the other exports are shown all the same.
      if (!hasCode(error, 'not_found')) throw error;
      work.console.warn(error.message);
      states.push(state);
      code = 1;
    }
  }
  show(work.console, states);
  return code;
}

async function download(work: Work, id: string | undefined, flags: DownloadFlags): Promise<number> {
  const { console } = work;
  const found = await work.withState((warehouse) => findExport(warehouse, work.service, id));
  const followed = await followAsFarAsItGoes(work, found, { waitMs: flags.maxTime });
  const ownFolder = join(work.settings.warehouse, 'exports');
  if (flags.output === undefined) await refuseLink(ownFolder);
  const { state, quarantined } = await downloadExport(work, followed.state, {
    folder: flags.output === undefined ? ownFolder : resolve(flags.output),
    isNamed: flags.output !== undefined,
    maxBytes: flags.maxBytes,
    load: flags.load,
    progress: (done, total) =>
      console.bar.draw('download', total ? done / total : null, `${(done / 1e6).toFixed(1)} MB`),
  });
  console.bar.clear();
  if (followed.failure) throw followed.failure;
  show(console, [state]);
  if (flags.load) console.note('Readers see the rows with the next version: "firn run", or "firn publish" at once.');
  if (quarantined > 0) console.note(`${plural(quarantined, 'row')} could not be read: see "firn quarantine".`);
  return quarantined > 0 ? 4 : 0;
}

function show(console: Console, states: readonly ExportState[]): void {
  console.data(exportDocument, { exports: states });
  const rows = states.flatMap(({ id, parts }) =>
    parts.map((part, i) => [
      id,
      `${i + 1}`,
      part.operationId ?? '',
      part.status ?? (part.outcome === 'failed' ? 'refused' : 'no answer'),
      part.firstDate ?? 'beginning',
      part.said ?? '',
      part.file === null ? '' : `${part.file.path} (${countText(part.file.bytes)} bytes)`,
      part.rows === null ? '' : countText(part.rows),
    ]),
  );
  console.print(
    textTable(['export', 'part', 'operation', 'status', 'from', 'said', 'file', 'rows'], rows) ||
      'No export was asked for in this warehouse. Ask for one with "firn export start".',
  );
}
