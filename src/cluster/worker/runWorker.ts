import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { stateFile } from '../../load/state/stateFile.ts';
import { openWarehouse, type Warehouse } from '../../load/state/warehouse.ts';
import type { PlannedStream } from '../../run/planStreams.ts';
import { besideOf, canBackfillLake } from '../../run/upkeep/backfillPartition.ts';
import type { Lease, PartitionName, WholeLease } from '../contract.ts';
import { KnownParts, notBegun } from './knownParts.ts';
import { noteRefusal, type Refusal } from './noteRefusal.ts';
import { readPart, type Work } from './readPart.ts';
import { usualTiming, type WorkerOptions } from './workerOptions.ts';

/**
 * Leases parts and reads them, until the signal is raised. What one part fails with is noted, and the part is handed out again later.
 *
 * @throws FirnError `disk`, `unauthorized` where stage or ledger refuse the key, `config` where the stage is no more, and with `untilIdle` what keeps the ledger from answering
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { atOnce = 4 } = options;
  const known = new KnownParts(options);
  const unread = await known.takeUp(options);
  if (known.partitions.length === 0) throw unread ?? nothingToRead(options.planned);
  const stop = linkedAbort(options.signal);
  const refusal: Refusal = {};
  const work: Work = {
    ...options,
    signal: stop.signal,
    timing: { ...usualTiming, ...options.timing },
    known,
    found: { young: new Map(), looked: new Map(), askedAgain: new Map() },
    begun: performance.now(),
    outage: { isTold: false },
    stage: noteRefusal(options.stage, refusal),
    refusal,
  };
  const besides = besidesOf(known, options.backfill);
  const slots = Array.from({ length: atOnce }, async (_, slot) => {
    const scratch = await openScratch(work, slot);
    try {
      for (let of = besides.shift(); of && !stop.signal.aborted; of = besides.shift())
        await readBackfill(scratch, of, work);
      await readParts(scratch, work);
    } finally {
      scratch.close();
    }
  });
  if (unread !== undefined && !options.untilIdle) slots.push(askAgain(work));
  try {
    await Promise.all(slots);
  } finally {
    // The end of one ends all. They are waited for, so that their leases are given back.
    stop.abort();
    await Promise.allSettled(slots);
    stop.unlink();
  }
}

type Beside = PartitionName & Pick<WholeLease, 'beside'>;

/** What is to be read beside what is new. */
function besidesOf(known: KnownParts, backfill: WorkerOptions['backfill']): Beside[] {
  if (!backfill) return [];
  return known
    .all()
    .filter(({ of }) => canBackfillLake(of.stream))
    .map(({ of, partition }) => ({
      stream: of.stream.id,
      partition: partitionKey(partition),
      beside: besideOf(backfill),
    }));
}

async function openScratch({ scratch, planned }: Work, slot: number): Promise<Warehouse> {
  const folder = join(scratch, String(slot));
  const [made, own] = [stateFile(scratch), stateFile(folder)];
  await makeFolder(dirname(own));
  // To make a state takes three times as long as to open a copy. What this one holds of the network, no batch takes along.
  if (existsSync(made)) await copyFile(made, own);
  return openWarehouse({
    folder,
    tables: tablesOf(planned.map(({ stream }) => stream)),
    memoryLimit: '512MB',
    threads: 1,
  });
}

async function readBackfill(scratch: Warehouse, of: Beside, work: Work): Promise<void> {
  const { ledger, owner, timing, finished } = work;
  const lease = await ledger.leaseWhole({ ...of, owner, ms: timing.lease });
  if (lease) return readPart(scratch, lease, work);
  const part = { stream: of.stream, partition: of.partition };
  finished?.(part, notBegun(part, readElsewhere(timing.lease)));
}

const readElsewhere = (ms: number) =>
  new FirnError(
    'unavailable',
    `Another process reads the same backfill, or was killed less than ${ms / 1000} s ago. Run again when it is over: it goes on from there.`,
    { retryable: true },
  );

/** Reads one part after the other. */
async function readParts(scratch: Warehouse, work: Work): Promise<void> {
  const { signal, untilIdle, timing } = work;
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    const lease = await nextLease(work);
    if (lease) await readPart(scratch, lease, work);
    else if (untilIdle) {
      if (!(await work.applyRest?.())) return;
      // Rows just applied may hold keys to look up; what others are applying is waited for.
      await rest(timing.idle);
    } else await rest(timing.idle * (0.5 + Math.random()));
  }
}

/** The part that is due; null also while the ledger does not answer. */
async function nextLease({ ledger, owner, timing, known, untilIdle, begun, outage, log }: Work): Promise<Lease | null> {
  try {
    // Where looks take longer than the time after which the next ones are due, it would never end.
    const unlookedForMs = untilIdle ? Math.ceil(performance.now() - begun) : undefined;
    const lease = await ledger.lease({ owner, ms: timing.lease, unlookedForMs, partitions: known.partitions });
    outage.isTold = false;
    return lease;
  } catch (error) {
    const mayPass = hasCode(error, 'unavailable') && !untilIdle;
    if (!mayPass) throw error;
    // A connection that breaks says something else each time.
    if (!outage.isTold) log?.warn({}, error.message);
    outage.isTold = true;
    return null;
  }
}

/** Asks on for chains that did not answer when the worker began, until all are known. */
async function askAgain({ resolve, signal, log, timing, known }: Work): Promise<void> {
  if (!resolve) return;
  for (let unread: unknown = true; unread !== undefined; ) {
    await sleep(timing.list, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      unread = await known.takeUp(await resolve());
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      log?.warn({ code: error.code }, error.message);
    }
  }
}

const nothingToRead = (planned: readonly PlannedStream[]) =>
  new FirnError(
    'config',
    `There is nothing here that workers read: ${planned.map(({ stream }) => stream.id).join(', ') || 'no stream'} has no partition that is known. ` +
      'firn doctor says what is missing.',
  );
