import { FirnError, messageOf } from '../../core/firnError.ts';
import { isLockError } from '../../load/state/isLockError.ts';

/** What an error of opening a reader database means where another program has it open for writing; undefined where it is another one. */
export function heldForWriting(error: unknown, file: string): FirnError | undefined {
  if (!isLockError(error)) return undefined;
  return new FirnError(
    'locked',
    `Another program has ${file} open for writing (${messageOf(error)}). ` +
      'Open it read-only there; until it is closed, or the next version is published, nobody else can read it.',
    { cause: error },
  );
}
