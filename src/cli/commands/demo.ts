import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Devnet, parseServedFault, type ServedFault } from 'firn-devnet';
import { worstExit } from '../../core/exitCode.ts';
import { FirnError, messageOf } from '../../core/firnError.ts';
import { isOwnHost } from '../../core/text/isOwnHost.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { mainFile } from '../../load/packageFiles.ts';
import { holdWarehouse } from '../../load/state/holdWarehouse.ts';
import { makeStateFolder } from '../../load/state/makeStateFolder.ts';
import { countText } from '../../report/texts/numberText.ts';
import { dayText } from '../../report/texts/timeText.ts';
import { compareWarehouses } from '../../run/evidence/compareWarehouses.ts';
import { runPhases } from '../../run/phases/runPhases.ts';
import { phases, type RunReport } from '../../run/records/runReport.ts';
import { readConfig } from '../config/config.ts';
import { own, readConfigured } from '../config/configured.ts';
import { demoDocument } from '../json/otherDocuments.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';
import { runSchedule } from '../runs/runSchedule.ts';
import { syncProgress } from '../runs/syncProgress.ts';
import { demoConfig, demoMark, keptMark } from '../tasks/demoConfig.ts';
import { summariseDemo } from '../tasks/summariseDemo.ts';
import { writeReport } from '../tasks/writeReport.ts';
import { runSummary } from '../text/runSummary.ts';
import { textTable } from '../text/textTable.ts';

interface Options {
  readonly folder: string;
  readonly kill?: boolean;
  readonly servedFaults?: boolean | string[];
  readonly keep?: boolean;
}

/** Wrong answers that the demo serves on request; a run must name each of them. */
const lies = ['lie', 'offset', 'rounded_averages', 'values_as_strings'];

/** `firn demo`: the whole job on the embedded network, in one process. */
export const demoCommand: RegisterCommand = (program, act) => {
  program
    .command('demo')
    .description('run the whole pipeline on the embedded network, twice: sync, build, reconcile, publish')
    .option('--folder <folder>', 'where the demo works', join('warehouse', 'demo'))
    .option('--kill', 'kill the first run in the middle, run again, and compare with an uninterrupted run')
    .option('--served-faults [fault...]', 'serve wrong numbers; ends with exit code 3 and names each of them')
    .option('--keep', 'keep the network up and run the schedule until Ctrl-C; no later demo replaces the folder')
    .action(act((context, options: Options) => demo(context, options)));
};

async function demo(context: CliContext, options: Options): Promise<number> {
  const { console, signal } = context;
  const folder = resolve(options.folder);
  const faults = servedFaults(options.servedFaults);
  const folders = options.kill ? [folder, uninterrupted(folder)] : [folder];
  // Nothing goes from one of them where the other may not be used.
  for (const one of folders) await mayEmpty(one);
  for (const one of folders) await removeWritten(one);
  // Between its runs, too: another demo would remove what this one works with.
  let release = await holdState(folder);
  const { startDevnet } = await import('firn-devnet');
  const devnet = await startDevnet({ port: 0, head: '70%', servedFaults: faults, isOwnHost });
  try {
    console.note(`The embedded network is at ${devnet.url}: ${describe(devnet)}.`);
    await writeFile(join(folder, 'firn.yaml'), demoConfig(devnet, options.keep ? keptMark : demoMark));
    if (options.kill) {
      release();
      await killedRun(context, folder);
      release = await holdState(folder);
    }
    const first = await run(context, folder, 'First run, the network at 70 % of its history');
    devnet.moveHead('100%');
    const second = await run(context, folder, 'Second run, the network at its end: only what is new is read');
    // What went wrong is in the summaries of the runs.
    if (signal.aborted || !second.published) {
      console.data(demoDocument, { folder, runs: [first, second], verdicts: [] });
      return worstExit([first.exitCode, second.exitCode]);
    }
    const same = options.kill ? await compareWithUninterrupted(context, devnet, folder) : true;
    await writeReport(await readConfigured({ config: join(folder, 'firn.yaml') }), join(folder, 'report.html'));
    await summariseDemo(console, folder, [first, second]);
    // Between scheduled runs other commands may use the warehouse.
    release();
    // Awaited here: the network must not close before.
    if (options.keep)
      return await runSchedule({ ...context, global: { ...context.global, config: join(folder, 'firn.yaml') } });
    return worstExit([first.exitCode, second.exitCode, same ? 0 : 1]);
  } finally {
    release();
    await devnet.close();
  }
}

function describe({ ledger }: Devnet): string {
  const chains = [ledger.c, ...ledger.l1s, ledger.p, ledger.x].map(
    ({ name, blocks }) => `${countText(blocks.length - 1)} ${name} blocks`,
  );
  return `${chains.join(', ')}, ${dayText(ledger.firstMoment)} to ${dayText(ledger.lastMoment)}`;
}

/** @throws FirnError `usage` for lies that do not exist, before anything is touched */
function servedFaults(given: Options['servedFaults']): ServedFault[] {
  try {
    return (given === true ? lies : given || []).map(parseServedFault);
  } catch (error) {
    throw new FirnError('usage', (error as Error).message, { cause: error });
  }
}

const uninterrupted = (folder: string) => `${folder}-uninterrupted`;

/** What a demo writes into its folder: from any other folder it removes nothing. */
const written = ['.state', 'lake', 'parquet', 'analytics.duckdb', 'report.html', 'firn.yaml'];

/**
 * Makes a folder for the demo where there is none. One that is there must be empty, or one that a demo wrote.
 *
 * @throws FirnError `usage` for any other folder, and for a demo that was kept · `locked` naming the process that still uses the warehouse
 */
async function mayEmpty(folder: string): Promise<void> {
  const config = join(folder, 'firn.yaml');
  await makeFolder(folder).catch((error) => {
    throw new FirnError(
      'disk',
      `Could not make the folder ${folder}: ${messageOf(error)}. Name another one with --folder.`,
      { cause: error },
    );
  });
  const text = existsSync(config) ? await readFile(config, 'utf8') : '';
  if (text.startsWith(keptMark))
    throw new FirnError(
      'usage',
      `${folder} holds a demo that was kept (--keep). Name another folder with --folder, or remove this one.`,
    );
  if (!text.startsWith(demoMark) && (await readdir(folder)).length > 0)
    throw new FirnError('usage', `${folder} holds files that no demo wrote. Name another folder with --folder.`);
  // A process that still works with the warehouse must not lose it.
  if (existsSync(join(folder, '.state'))) (await holdWarehouse(folder))();
}

/** Holds a warehouse that may not be there yet. */
async function holdState(folder: string): Promise<() => void> {
  await makeStateFolder(folder);
  return holdWarehouse(folder);
}

/** Removes what a demo wrote. The folder stays: somebody may work in it, as `--folder .` does. */
async function removeWritten(folder: string): Promise<void> {
  for (const name of written) await rm(join(folder, name), { recursive: true, force: true });
}

async function run({ console, signal }: CliContext, folder: string, title: string): Promise<RunReport> {
  console.print(`\n${title}`);
  const report = await runPhases({
    settings: readConfig({ config: join(folder, 'firn.yaml') }),
    ...own,
    phases,
    signal,
    log: console.log,
    listener: syncProgress(console),
  });
  console.bar.clear();
  console.print(runSummary(report));
  return report;
}

/** Starts the run in a process of its own and kills it once it has committed something. */
async function killedRun({ console, signal }: CliContext, folder: string): Promise<void> {
  const child = spawn(process.execPath, [mainFile(), '--config', join(folder, 'firn.yaml'), '--quiet', 'run'], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const wal = join(folder, '.state', 'firn.duckdb.wal');
  while (child.exitCode === null && !existsSync(wal) && !signal.aborted) await delay(20);
  await delay(1500);
  child.kill('SIGKILL');
  await ended;
  console.print('\nThe first run was killed (SIGKILL) in the middle. The next one goes on from what was committed.');
}

async function compareWithUninterrupted(context: CliContext, devnet: Devnet, folder: string): Promise<boolean> {
  const other = uninterrupted(folder);
  await writeFile(join(other, 'firn.yaml'), demoConfig(devnet));
  devnet.moveHead('70%');
  await run(context, other, 'The same without a kill, for comparison: first run');
  devnet.moveHead('100%');
  await run(context, other, 'Second run');
  const differences = await compareWarehouses(folder, other);
  const tables = differences.length;
  const unequal = differences.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0);
  const rows = unequal.map(({ table, onlyFirst, onlySecond }) => [table, onlyFirst, onlySecond]);
  context.console.print(
    unequal.length === 0
      ? `\nAll ${tables} tables are row-identical with those of the uninterrupted run.`
      : `\nNot identical:\n${textTable(['table', 'only killed', 'only uninterrupted'], rows)}`,
  );
  await removeWritten(other);
  if ((await readdir(other)).length === 0) await rmdir(other);
  return unequal.length === 0;
}
