import { type Command, CommanderError } from 'commander';
import { exitCode, exitOf } from '../../core/exitCode.ts';
import { diskError } from '../../load/diskError.ts';
import { loadCommands } from '../commands/index.ts';
import { refuseEmpty } from '../options/optionValues.ts';
import type { Act } from '../registerCommand.ts';
import type { GlobalOptions } from '../terminal/console.ts';
import { listenForSignals } from '../terminal/signals.ts';
import { createProgram } from './createProgram.ts';

/**
 * Runs the command line.
 *
 * @param argv as in process.argv
 * @param load gives the commands, given the name of the one that is called
 * @returns the exit code: 0 ok, 1 failed, 2 usage or configuration, 3 mismatch, 4 quarantined, 73 disk, 75 try again later,
 *   77 not authorised, 130 or 143 after a signal
 */
export async function runCli(argv: readonly string[], load = loadCommands): Promise<number> {
  if (argv[2] === '__complete') {
    const { complete } = await import('./complete.ts');
    // While a line is written nothing else may appear, whatever is wrong with the configuration.
    process.stdout.write(await complete(argv.slice(3)).catch(() => ''));
    return 0;
  }
  let code = 0;
  const act: Act =
    (action) =>
    async (...args) => {
      // Loaded by what a command runs: `--version` and `--help` need none of it.
      const { createConsole, refuseUnknownLevel } = await import('../terminal/console.ts');
      const global = program.opts<GlobalOptions>();
      const output = createConsole(global);
      const signals = listenForSignals(output);
      try {
        refuseUnknownLevel();
        code = await action({ global, console: output, signal: signals.signal }, ...args);
      } catch (thrown) {
        // Files of our own and of models are opened in many places: what the system refuses is said in one.
        const error = diskError(thrown, 'go on');
        code = exitCode(error);
        output.failed(error, code);
      } finally {
        signals.stop();
        output.close();
      }
    };
  const program = createProgram();
  program.hook('preAction', (_, command) => refuseEmpty(command));
  try {
    const [name] = program.parseOptions(argv.slice(2)).operands;
    for (const register of await load(name)) register(program, act);
    for (const command of program.commands) nameHelp(command, 'firn');
    await program.parseAsync(argv.map(asText));
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are no failures; everything else commander throws is a wrong command line, and it said so on stderr.
    if (error.exitCode === 0) return 0;
    const message =
      error.code === 'commander.help' ? nameCommand(program, argv) : error.message.replace(/^error: /, '');
    code = exitOf('usage');
    const { createConsole } = await import('../terminal/console.ts');
    const { errorDocument } = await import('../json/otherDocuments.ts');
    createConsole(program.opts<GlobalOptions>()).data(errorDocument, {
      error: { code: 'usage', message, exitCode: code },
    });
  }
  return code;
}

/** No option has a blank in its name: `-- a comment` begins a statement of SQL, which commander takes for one unless a blank stands before it. */
const asText = (argument: string) => (/^--[^=]*\s/.test(argument) ? ` ${argument}` : argument);

/** A wrong option is looked up in the help of the command that it was given to: that of the whole program does not list it. */
function nameHelp(command: Command, before: string): void {
  const name = `${before} ${command.name()}`;
  command.showHelpAfterError(`(${name} --help lists what it takes)`);
  for (const inner of command.commands) nameHelp(inner, name);
}

/** Help in place of a command is all that commander has to say of a name that is missing. */
function nameCommand(program: Command, argv: readonly string[]): string {
  const [name] = program.parseOptions(argv.slice(2)).operands;
  const group = program.commands.find((command) => command.name() === name) ?? program;
  return `Name a command: ${group.commands.map((command) => command.name()).join(', ')}`;
}
