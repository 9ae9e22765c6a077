import type { Command } from 'commander';
import { FirnError } from '../core/firnError.ts';
import { meant } from '../core/input/meant.ts';
import type { Console, GlobalOptions } from './terminal/console.ts';

/** A command of the program: adds itself and its options; its action returns the exit code. */
export type RegisterCommand = (program: Command, act: Act) => void;

/** Wraps an action: gives it the console and the signal, and turns what it throws into a sentence and an exit code. */
export type Act = <A extends unknown[]>(
  action: (context: CliContext, ...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

export interface CliContext {
  readonly global: GlobalOptions;
  readonly console: Console;
  readonly signal: AbortSignal;
}

/**
 * Refuses words after a command that lists when called alone: such a word was meant as one of its subcommands.
 *
 * @throws FirnError `usage`
 */
export function refuseWords({ args: [word], parent }: Command): void {
  if (word === undefined || !parent) return;
  const sisters = parent.commands.map((command) => command.name());
  throw new FirnError('usage', `There is no command "${parent.name()} ${word}". ${meant(word, sisters)}`);
}
