import { FirnError } from '../../core/firnError.ts';

/** The error of a file that is not there. It holds up what needs it, and nothing else. */
export const gone = (said: string, cause: unknown) =>
  new FirnError('unavailable', `${said} Restore the file from a version or copy of the stage.`, {
    cause,
    retryable: true,
    context: { reason: 'missing' },
  });

/** The error of a file that holds something else than what was written. */
export const changed = (uri: string) =>
  new FirnError('contract', `${uri} does not hold what was written there: its sha256 is another. Restore the file.`);

/** The error of a name that another file has. */
export const taken = (uri: string) =>
  new FirnError(
    'contract',
    `${uri} is there already, with other rows. Two ledgers write to one stage: give each control database a stage of its own. One that was restored from a backup takes other numbers once a worker begins.`,
  );

/** The error of a name that is taken, and is not found: by whom is not known then. */
export const unseen = (name: string) =>
  new FirnError(
    'unavailable',
    `${name} is there, and was not found when it was read. Run again: nothing was read or written.`,
    {
      retryable: true,
    },
  );
