import { Command, CommanderError } from 'commander';
import { exitCode } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import { commands } from './commands/index.ts';
import { createConsole, type GlobalOptions } from './console.ts';
import { packageVersion } from './packageVersion.ts';
import type { Act } from './registerCommand.ts';
import { listenForSignals } from './signals.ts';

/**
 * Runs the command line.
 *
 * @param argv as in process.argv
 * @returns the exit code: 0 ok, 1 failed, 2 usage or configuration, 3 mismatch, 4 quarantined, 73 disk, 75 try again later,
 *   77 not authorised, 130 or 143 after a signal
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = new Command('firn');
  program
    .description(
      'Drains Avalanche chain data exactly once into DuckDB and Parquet, recomputes the chain metrics and says which served numbers agree.',
    )
    .version(packageVersion())
    .option('-c, --config <file>', 'configuration file', 'firn.yaml')
    .option('-w, --warehouse <folder>', "warehouse folder, in place of the configuration's")
    .option('--json', 'data as JSON on stdout')
    .option('-q, --quiet', 'only errors on stderr')
    .option('-v, --verbose', 'every retry and wait on stderr')
    .showHelpAfterError('(firn --help lists the commands and options)')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) });
  const act: Act =
    (action) =>
    async (...args) => {
      const global = program.opts<GlobalOptions>();
      const output = createConsole(global);
      const signals = listenForSignals(output);
      try {
        code = await action({ global, console: output, signal: signals.signal }, ...args);
      } catch (error) {
        code = exitCode(error);
        output.failed(error, code);
      } finally {
        signals.stop();
      }
    };
  for (const load of chosenCommands(argv)) (await load())(program, act);
  try {
    await program.parseAsync(argv as string[]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are no failures; everything else commander throws is a wrong command line, and it said so on stderr.
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, '');
    code = exitCode(new FirnError('usage', message));
    createConsole(program.opts<GlobalOptions>()).data({ error: { code: 'usage', message, exitCode: code } });
  }
  return code;
}

/** Options before the command that take a value. */
const valued = new Set(['-c', '--config', '-w', '--warehouse']);

/** The command that is called; all of them where it is none, for help and for what was meant. */
function chosenCommands(argv: readonly string[]) {
  const words = argv.slice(2);
  const called = words.find((word, i) => !word.startsWith('-') && !valued.has(words[i - 1] ?? ''));
  const load = called !== undefined && Object.hasOwn(commands, called) ? commands[called] : undefined;
  return load ? [load] : Object.values(commands);
}
