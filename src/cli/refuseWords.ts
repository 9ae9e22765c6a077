import type { Command } from 'commander';
import { FirnError } from '../core/firnError.ts';
import { meant } from '../core/meant.ts';

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
