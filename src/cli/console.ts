import pino from 'pino';
import { FirnError } from '../core/firnError.ts';
import type { Log } from '../extract/http.ts';
import { environment } from './config.ts';
import { createProgressBar, type ProgressBar } from './progressBar.ts';

export interface GlobalOptions {
  readonly config: string;
  readonly warehouse?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The two streams of a command: data on stdout, everything else on stderr. */
export interface Console {
  readonly json: boolean;
  /** Structured log on stderr: retries and waits; only warnings on a terminal unless asked for more. */
  readonly log: Log;
  readonly bar: ProgressBar;
  /** Text for people on stdout; nothing with --json. */
  print(text: string): void;
  /** Data for machines on stdout; nothing without --json. bigint becomes a number where it fits, else text. */
  data(value: unknown): void;
  /** A remark on stderr, unless quiet. */
  note(text: string): void;
  /** The sentence of an error on stderr; with --json an object on stdout too. */
  failed(error: unknown, exitCode: number): void;
}

export function createConsole(options: GlobalOptions): Console {
  const json = options.json ?? false;
  const tty = process.stderr.isTTY === true && !options.quiet;
  const level = options.quiet ? 'error' : options.verbose ? 'debug' : 'warn';
  const log = pino(
    { level: environment['FIRN_LOG_LEVEL'] ?? level, base: null },
    pino.destination({ dest: 2, sync: true }),
  );
  const bar = createProgressBar(tty ? process.stderr : undefined);
  const write = (stream: NodeJS.WriteStream, text: string) => {
    bar.clear();
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const data = (value: unknown) => {
    if (json) write(process.stdout, JSON.stringify(value, plain, 2));
  };
  return {
    json,
    log,
    bar,
    data,
    print(text) {
      if (!json) write(process.stdout, text);
    },
    note(text) {
      if (!options.quiet) write(process.stderr, text);
    },
    failed(error, exitCode) {
      const message = error instanceof Error ? error.message : String(error);
      write(process.stderr, `firn: ${message}`);
      if (!(error instanceof FirnError)) log.debug({ err: error }, 'unexpected error');
      data({ error: { code: error instanceof FirnError ? error.code : 'failed', message, exitCode } });
    },
  };
}

function plain(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
