import type { Command } from 'commander';
import type { createConsole, GlobalOptions } from './console.ts';

/** A command of the program: adds itself and its options; its action returns the exit code. */
export type RegisterCommand = (program: Command, act: Act) => void;

/** Wraps an action: gives it the console and the signal, and turns what it throws into a sentence and an exit code. */
export type Act = <A extends unknown[]>(
  action: (context: CliContext, ...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

export interface CliContext {
  readonly global: GlobalOptions;
  readonly console: ReturnType<typeof createConsole>;
  readonly signal: AbortSignal;
}
