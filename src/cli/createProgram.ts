import { Command } from 'commander';
import { printable } from '../core/printable.ts';
import { packageVersion } from '../load/packageFiles.ts';

/** The program with its global options; commands are registered as they are called. */
export function createProgram(): Command {
  const program = new Command('firn');
  program
    .description(
      'Drains Avalanche chain data exactly once into DuckDB and Parquet, recomputes the chain metrics and says which served numbers agree.',
    )
    .version(packageVersion())
    .option('-c, --config <file>', 'configuration file', 'firn.yaml')
    .option('-w, --warehouse <folder>', "warehouse folder, in place of the configuration's")
    .option('--json', 'print one JSON document on stdout')
    .option('-q, --quiet', 'one line per run on stdout, and only errors on stderr')
    .option('-v, --verbose', 'log every retry and wait on stderr')
    .showHelpAfterError('(firn --help lists the commands and options)')
    .exitOverride()
    .configureOutput({
      writeErr: (text) => process.stderr.write(printable(text)),
      // What an error quotes cannot begin a line of its own.
      outputError: (text, write) =>
        write(
          text
            .trimEnd()
            .replaceAll(/\n(?!\(Did you mean)/g, '\n  ')
            .concat('\n'),
        ),
    });
  return program;
}
