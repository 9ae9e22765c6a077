import { createWriteStream } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { printable } from '../../core/text/printable.ts';
import { renameDurably, syncFile } from '../../disk/durable.ts';
import { temporaryFolder } from '../../disk/temporaryFolder.ts';
import { halfOfMemory } from '../../load/database/halfOfMemory.ts';
import { diskError, diskTrouble } from '../../load/diskError.ts';
import { missingFilesText, openReader } from '../../publish/reader/openReader.ts';
import type { QueryRequest } from '../../report/query/queryRequest.ts';
import { rowsFrom, startQuery } from '../../report/query/startQuery.ts';
import { readConfigured } from '../config/configured.ts';
import { queryDocument } from '../json/otherDocuments.ts';
import { refuseCluster } from '../open/withProject.ts';
import { withReader } from '../open/withReader.ts';
import { count } from '../options/optionValues.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';
import { lineWidth } from '../text/lineWidth.ts';
import { rowsText } from '../text/rowsText.ts';
import { couldNotWrite } from '../writeOut.ts';

interface Options {
  readonly limit: number;
  readonly csv?: boolean;
  readonly out?: string;
}

type Asked = Pick<QueryRequest, 'sql' | 'as' | 'most' | 'file'>;

/** Runs a query, and ends it where `use` fails or the command is stopped. */
type Run = <T>(asked: Asked, use: (output: Readable, ended: Promise<void>) => Promise<T>) => Promise<T>;

const day = 86_400_000;
/** Characters of a value in a table or in JSON; files have them all. */
const longestValue = 1_000_000;

/** `firn query`: one SELECT on what is published, for those who have no shell of DuckDB's at hand. */
export const queryCommand: RegisterCommand = (program, act) => {
  program
    .command('query <sql>')
    .description('run one SELECT on what is published, and print its rows; - reads it from stdin')
    .addOption(new Option('--limit <rows>', 'most rows that are printed').argParser(count).default(100))
    .addOption(new Option('--csv', 'print all rows as CSV').conflicts(['limit', 'out']))
    .addOption(new Option('-o, --out <file>', 'write all rows to a file: .csv or .parquet').conflicts('limit'))
    .action(
      act(async (context, given: string, { limit, csv, out }: Options) => {
        const { settings } = await readConfigured({ ...context.global, onlyShows: true });
        refuseCluster(settings, 'firn query');
        const target = out === undefined ? undefined : targetOf(resolve(out));
        if (csv && context.console.json)
          throw new FirnError('usage', 'Choose one: --csv prints CSV, and --json prints JSON.');
        const sql = given === '-' ? await readStdin(context.signal) : given;
        // Says where nothing was published, mends what was moved, and keeps the version from being removed meanwhile.
        await withReader(openReader(settings.warehouse), () => {
          const run = runner(settings.warehouse, context.signal);
          if (target) return writeRows(run, sql, target, context);
          return csv ? printCsv(run, sql) : printRows(run, sql, limit, context);
        });
        return 0;
      }),
    );
};

const kinds = { '.csv': 'csv', '.parquet': 'parquet' } as const;

interface Target {
  readonly named: string;
  readonly as: 'csv' | 'parquet';
}

/** @throws FirnError `usage` */
function targetOf(named: string): Target {
  const as = kinds[extname(named).toLowerCase() as keyof typeof kinds];
  if (!as) throw new FirnError('usage', `${named} does not end in .csv or .parquet: name such a file.`);
  return { named, as };
}

const runner =
  (folder: string, signal: AbortSignal): Run =>
  async (asked, use) => {
    if (signal.aborted) throw stopped(signal);
    const memory = Math.floor(halfOfMemory() / 1e6);
    const { output, ended, kill } = startQuery({
      ...asked,
      folder,
      from: 0,
      longest: longestValue,
      time: day,
      threads: availableParallelism(),
      memory,
      processMemory: memory * 1.5,
    });
    // It may fail before anybody waits for it.
    const over = ended.catch(() => {});
    signal.addEventListener('abort', kill);
    try {
      return await use(output, ended);
    } catch (error) {
      throw signal.aborted ? stopped(signal) : toldError(error);
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      await over;
    }
  };

const readStdin = (signal: AbortSignal): Promise<string> =>
  text(addAbortSignal(signal, process.stdin)).catch((error) => {
    throw signal.aborted ? stopped(signal) : error;
  });

const stopped = ({ reason }: AbortSignal) =>
  new FirnError('interrupted', 'Stopped before all rows came.', { context: { signal: reason } });

/** What the query's process refuses is the query's fault, unless files are missing or the disk is full. */
function toldError(error: unknown): unknown {
  if (!hasCode(error, 'refused')) return error;
  const missing = missingFilesText(error.message);
  if (missing !== undefined) return new FirnError('failed', missing);
  if (error.message.startsWith('IO Error: ') && diskTrouble(error))
    return diskError(new Error(error.message), 'write all rows');
  return new FirnError('usage', error.message);
}

async function printRows(run: Run, sql: string, most: number, { console }: CliContext): Promise<void> {
  const found = await run({ sql, as: 'rows', most }, rowsFrom);
  console.data(queryDocument, found);
  console.print(rowsText(found, lineWidth()));
  if (found.rows.length === 0 && /^\s*show\s+tables[\s;]*$/i.test(sql))
    console.note('Tables lie in schemas: SHOW TABLES FROM mart lists those of one, SHOW ALL TABLES all.');
  if (found.more)
    console.note(`These are the first ${found.rows.length} rows: --limit gives more, --csv and --out give all.`);
}

async function printCsv(run: Run, sql: string): Promise<void> {
  await run({ sql, as: 'csv', most: 0 }, async (output, ended) => {
    // Values come from elsewhere: a terminal would act on what a file only holds.
    const shown = async function* (pieces: AsyncIterable<string>) {
      for await (const piece of pieces) yield process.stdout.isTTY ? printable(piece) : piece;
    };
    const isWhole = await pipeline(output.setEncoding('utf8'), shown, process.stdout, { end: false }).then(
      () => true,
      (error) => {
        // Who reads it has seen enough.
        if (error.code !== 'EPIPE') throw error;
        return false;
      },
    );
    if (isWhole) await ended;
  });
}

/** Writes a file whole or not at all: it is made in a folder of its own beside where it goes. */
async function writeRows(run: Run, sql: string, { named, as }: Target, { console }: CliContext): Promise<void> {
  const file = await realpath(named).catch(() => named);
  const folder = await temporaryFolder(join(dirname(file), '.firn-query-')).catch((error) => {
    throw couldNotWrite(named, error);
  });
  const staged = join(folder, basename(file));
  try {
    await run({ sql, as, most: 0, file: staged }, async (output, ended) => {
      const written =
        as === 'csv' &&
        pipeline(output, createWriteStream(staged)).catch((error) => {
          throw diskError(error, `write ${named}`);
        });
      await Promise.all([written, ended]);
    });
    await syncFile(staged);
    await renameDurably(staged, file).catch((error) => {
      throw couldNotWrite(named, error);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.data(queryDocument, { file });
  console.print(`Written: ${file}`);
}
