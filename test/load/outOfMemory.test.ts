import { expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { diskError, isOutOfMemory } from '../../src/load/diskError.ts';

const saidOf = {
  'a statement':
    'Out of Memory Error: could not allocate block of size 256.0 KiB (60.8 MiB/61.0 MiB used)\n\nPossible solutions:\n* ...',
  'a commit':
    "TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (60.8 MiB/61.0 MiB used)\n\nPossible solutions:\n* Increasing the memory limit (SET memory_limit='...GB')",
  'what comes after it':
    'IO Error: Database "state" has been invalidated because checkpointing failed. Detach and reattach it before using it again. Original error: failed to pin block of size 256.0 KiB (60.9 MiB/61.0 MiB used)\n\nPossible solutions:',
};

test.each(Object.entries(saidOf))(
  '%s that does not fit into the memory is known, and named in a sentence',
  (_, message) => {
    const error = diskError(new Error(message), 'write the warehouse');
    expect(isOutOfMemory(error)).toBe(true);
    expect(error).toBeInstanceOf(FirnError);
    expect(error.message).toMatch(/needs more memory than it may take.*\(.*block of size 256\.0 KiB/);
  },
);

test.each([
  'TransactionContext Error: Failed to commit: Constraint Error: duplicate key',
  'Catalog Error: Table with name memory does not exist',
])('what failed otherwise is not taken for that: %s', (message) => {
  expect(isOutOfMemory(new Error(message))).toBe(false);
});
