/** @module-tag long */
import { expect, test, vi } from 'vitest';
import type { Ledger } from '../../../src/cluster/contract.ts';
import { statementError } from '../../../src/cluster/trino/statementError.ts';
import { applyOnSchedule } from '../../../src/cluster/worker/applyOnSchedule.ts';
import type { AppliedLake } from '../../../src/cluster/worker/queryLake.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Log } from '../../../src/core/log.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise((resolve) => setImmediate(resolve)) }));

test('what keeps batches from being applied is said once, until it is something else or over', async () => {
  const ending = new AbortController();
  const refused = (query: string) =>
    statementError('', query, { message: 'no', errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR' });
  const away = new FirnError('unavailable', 'away');
  // One that finds nothing asks once more whether anything is left.
  const looks = [refused('q1'), refused('q2'), away, away, undefined, undefined, away];
  const ledger = {
    async pendingTables() {
      if (looks.length === 1) ending.abort();
      const failure = looks.shift();
      if (failure) throw failure;
      return [];
    },
  } as unknown as Ledger;
  const said: string[] = [];
  const log = { warn: (_: object, message: string) => said.push(message) } as unknown as Log;
  await applyOnSchedule({ lake: { tables: [] } as unknown as AppliedLake, ledger, signal: ending.signal, log });
  expect(said.map((message) => message.replace('Staged batches wait: ', ''))).toEqual([
    refused('q1').message,
    'away',
    'away',
  ]);
});
