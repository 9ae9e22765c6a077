import pino from 'pino';
import type { z } from 'zod';
import { FirnError, problemOf } from '../../core/firnError.ts';
import { meant } from '../../core/input/meant.ts';
import type { Log } from '../../core/log.ts';
import { printable, printableJson } from '../../core/text/printable.ts';
import { environment } from '../config/config.ts';
import { errorDocument } from '../json/otherDocuments.ts';
import { type ReadonlyDeep, shownBigint } from '../json/shapes.ts';
import { coloured } from '../text/coloured.ts';
import { createProgressBar, type ProgressBar } from './progressBar.ts';
import { type RetryLog, retryLog } from './retryLog.ts';

export interface GlobalOptions {
  readonly config: string;
  readonly warehouse?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The two streams of a command: data on stdout, everything else on stderr. What is written is clean, wherever it came from. */
export interface Console {
  readonly json: boolean;
  /** Structured log on stderr: retries and waits; only warnings on a terminal unless asked for more. */
  readonly log: Log;
  readonly bar: ProgressBar;
  /** Text for people on stdout; nothing with --json. */
  print(text: string): void;
  /** Text that is asked for as such (a page, a textfile) on stdout, with --json too. */
  raw(text: string): void;
  /** Data for machines on stdout, in the shape of the command's document; nothing without --json. */
  data<Document extends z.ZodType>(document: Document, value: ReadonlyDeep<z.input<Document>>): void;
  /** A remark on stderr, unless quiet. */
  note(text: string): void;
  /** What went wrong beside the work and changes no exit code, on stderr, also when quiet: nothing else tells of it. */
  warn(text: string): void;
  /** The message of an error on stderr, with who says it in front; with --json an object on stdout too. */
  failed(error: unknown, exitCode: number, speaker?: string): void;
  /** Writes what is still to be said. */
  close(): void;
}

/** Characters of a line at most: whole tables of text are printed, a message says what it has to say in less. */
const longestPrinted = 10_000;
const longestSaid = 2_000;

export function createConsole(options: GlobalOptions): Console {
  const json = options.json ?? false;
  const tty = process.stderr.isTTY === true && !options.quiet;
  const log = createLog(options);
  const bar = createProgressBar(tty ? process.stderr : undefined);
  const write = (stream: NodeJS.WriteStream, text: string) => {
    bar.clear();
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const say = (text: string) => write(process.stderr, coloured(printable(text, longestSaid), process.stderr));
  const data: Console['data'] = (document, value) => {
    if (!json) return;
    const shown = document.safeParse(value);
    // A document of another shape is better than none.
    if (!shown.success) log.warn({ issues: shown.error.issues }, 'this document does not fit its schema');
    write(process.stdout, printableJson(JSON.stringify(shown.success ? shown.data : value, plain, 2)));
  };
  return {
    json,
    log,
    bar,
    data,
    print(text) {
      if (!json) write(process.stdout, coloured(printable(text, longestPrinted), process.stdout));
    },
    raw: (text) => write(process.stdout, printable(text)),
    note(text) {
      if (!options.quiet) say(text);
    },
    warn: say,
    failed(error, exitCode, speaker = 'firn') {
      const { code, message } = problemOf(error);
      // What a message quotes cannot begin a line of its own.
      say(`${speaker}: ${message.trimEnd().replaceAll('\n', '\n  ')}`);
      if (!(error instanceof FirnError)) log.debug({ err: error }, 'unexpected error');
      data(errorDocument, { error: { code, message, exitCode } });
    },
    close: () => log.close(),
  };
}

/** Levels of the log that FIRN_LOG_LEVEL may name. Empty, it is not set. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const namedLevel = () => environment['FIRN_LOG_LEVEL'] || undefined;

/** @throws FirnError `usage` where FIRN_LOG_LEVEL names no level */
export function refuseUnknownLevel(): void {
  const level = namedLevel();
  if (level !== undefined && !levels.includes(level))
    throw new FirnError('usage', `FIRN_LOG_LEVEL is "${level}", which is not a log level. ${meant(level, levels)}`);
}

/** Off a terminal nobody watches retries: one line per origin and minute says how many there were, unless each was asked for. */
function createLog({ quiet, verbose }: GlobalOptions): RetryLog {
  const usual = quiet ? 'error' : verbose ? 'debug' : 'warn';
  // One that is none is refused once there is a console to say it.
  const level = levels.find((one) => one === namedLevel()) ?? usual;
  const log = pino(
    { level, base: null, formatters: { log: shortened } },
    { write: (line: string) => process.stderr.write(printableJson(line)) },
  );
  return verbose || process.stderr.isTTY
    ? { debug: log.debug.bind(log), warn: log.warn.bind(log), close() {} }
    : retryLog(log);
}

/** Long words from elsewhere are cut in the log, too. */
const shortened = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > longestSaid ? `${value.slice(0, longestSaid)}… (cut)` : value,
    ]),
  );

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? shownBigint(value) : value);
