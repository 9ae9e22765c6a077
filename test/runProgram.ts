import { type ParseArgsConfig, parseArgs } from 'node:util';
import { FirnError } from '../src/core/firnError.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/**
 * Runs a program of the tests: its usage on `--help`, and where it is called otherwise than it can be (2); else what it does. Gives its exit code.
 */
export async function runProgram<T extends Options>(
  usage: string,
  options: T,
  main: (values: Values<T>) => Promise<number>,
  args = process.argv.slice(2),
): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage);
    return 0;
  }
  try {
    return await main(parseArgs({ args, options }).values);
  } catch (error) {
    if (isUsage(error)) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    console.error(error instanceof FirnError ? error.message : error);
    return 1;
  }
}

function isUsage(error: unknown): error is Error {
  if (error instanceof FirnError) return error.code === 'usage';
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
