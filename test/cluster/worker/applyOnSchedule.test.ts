/** @module-tag long */
import { expect, test, vi } from 'vitest';
import type { Ledger } from '../../../src/cluster/contract.ts';
import { statementError } from '../../../src/cluster/trino/statementError.ts';
import { applyOnSchedule } from '../../../src/cluster/worker/applyOnSchedule.ts';
import type { AppliedLake } from '../../../src/cluster/worker/queryLake.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Log } from '../../../src/core/log.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise((resolve) => setImmediate(resolve)) }));

/** What is said while looks at what waits give these tables, or fail. */
async function saidOf(looks: (FirnError | readonly string[])[]): Promise<string[]> {
  const ending = new AbortController();
  const ledger = {
    async pendingTables() {
      if (looks.length === 1) ending.abort();
      const found = looks.shift();
      if (found instanceof FirnError) throw found;
      return found;
    },
    // Another process applies it.
    alone: async () => undefined,
  } as unknown as Ledger;
  const said: string[] = [];
  const log = { warn: (_: object, message: string) => said.push(message) } as unknown as Log;
  const lake = { tables: [{ name: 'raw.held', columns: [] }] } as unknown as AppliedLake;
  await applyOnSchedule({ lake, ledger, signal: ending.signal, log });
  return said.map((message) => message.replace('Staged batches wait: ', ''));
}
const away = new FirnError('unavailable', 'away');

test('what keeps batches from being applied is said once, until it is something else or over', async () => {
  const refused = (query: string) =>
    statementError('', query, { message: 'no', errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR' });
  // One that finds nothing asks once more whether anything is left.
  const looks = [refused('q1'), refused('q2'), away, away, [], [], away];
  expect(await saidOf(looks)).toEqual([refused('q1').message, 'away', 'away']);
});

test('while another process tries to apply what waits it is not known to be over', async () => {
  expect(await saidOf([away, ['raw.held'], ['raw.held'], away])).toEqual(['away']);
});
