import { expect, test } from 'vitest';
import { nothing, nothingRead } from '../../../src/run/phases/session.ts';
import type { PartitionResult } from '../../../src/run/read/syncStreams.ts';

test.each(['the source ends at 4', 'node/x (all): the source ends at 4'])(
  'a run that could read nothing names the first partition once: %s',
  (message) => {
    const failed = { stream: 'node/x', partition: 'all', outcome: 'failed', bytes: 0, message } as PartitionResult;
    expect(nothingRead([failed])?.message).toBe(`${nothing} node/x (all): the source ends at 4`);
  },
);
