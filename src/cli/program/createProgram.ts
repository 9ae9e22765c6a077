import { Command } from 'commander';
import { printable } from '../../core/text/printable.ts';
import { packageVersion } from '../../load/packageFiles.ts';
import { defaultConfig } from '../config/defaultConfig.ts';

const help = `
To try it:           firn demo
With your sources:   firn init, firn doctor, firn plan, firn run
If something fails:  firn status says what is wrong and what to do

Exit codes:
  0   all done
  1   failed
  2   wrong command line, configuration or network, or a warehouse of a newer
      version
  3   a settled bucket differs, an audit found rows, or something is held back
  4   records in quarantine, a source that broke its contract, or a CSV in refs/
      that cannot be read
  73  disk full or not writable
  75  try again later: locked, rate-limited, or source down
  77  key missing or wrong
  130, 143  stopped by a signal, after committing what was read`;

/** The program with its global options; commands are registered as they are called. */
export function createProgram(): Command {
  const program = new Command('firn');
  program
    .description(
      'Loads Avalanche chain data into DuckDB and Parquet, recomputes the 17 chain metrics from raw blocks, and reports which served values are right.',
    )
    .version(packageVersion())
    .option('-c, --config <file>', 'configuration file', defaultConfig)
    .option('-w, --warehouse <folder>', "warehouse folder, in place of the configuration's")
    .option('--json', 'print one JSON document on stdout')
    .option('-q, --quiet', 'one line per run on stdout, and only errors on stderr')
    .option('-v, --verbose', 'log every retry and wait on stderr')
    .addHelpText('after', help)
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
