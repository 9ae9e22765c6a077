import type { Command } from 'commander';
import { duration, wholeNumber } from './optionValues.ts';

/** Adds the options that choose what is read. */
export const selectionOptions = (command: Command): Command =>
  command
    .option('-s, --select <stream...>', "stream names and globs, such as 'node/*'")
    .option('-p, --pipeline <name...>', 'pipelines of the configuration');

/** Adds the options that bound a long read. */
export function limitOptions(command: Command): void {
  command.option(
    '--max-time <time>',
    'end the reading cleanly after a while, such as 30m; the next run goes on',
    duration,
  );
  command.option(
    '--max-units <n>',
    'end the reading cleanly when this many compute units are spent; the next run goes on',
    wholeNumber,
  );
}

/** Adds the option to wait for the warehouse. */
export function waitOption(command: Command): void {
  command.option(
    '--wait [time]',
    'wait for another run to end, for as long as it takes or a while, such as 10m',
    duration,
  );
}
