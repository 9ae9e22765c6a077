import { FirnError } from '../../core/firnError.ts';
import type { Control } from './control.ts';
import { isPast, nextEpoch } from './leases.ts';
import { thisProcess } from './thisProcess.ts';

const usualMs = 60_000;

/** Does work of a name unless another process holds its lease. The lease is renewed three times in its length, and given back at the end. */
export async function alone<T>(
  control: Control,
  name: string,
  work: (assertHeld: () => Promise<void>) => Promise<T>,
  ms = usualMs,
): Promise<T | undefined> {
  const until = `clock_timestamp() + $2 * interval '1 millisecond'`;
  const [task] = await control.query<{ epoch: string }>(
    `INSERT INTO firn.task AS t (name, epoch, lease_until, owner, begun_at) VALUES ($1, ${nextEpoch('0')}, ${until}, $3, clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET epoch = ${nextEpoch('t.epoch')}, lease_until = excluded.lease_until, owner = excluded.owner, begun_at = excluded.begun_at
     WHERE ${isPast('t.lease_until')} RETURNING epoch`,
    [name, ms, thisProcess()],
  );
  if (!task) return undefined;
  const hold = () =>
    control.query(`UPDATE firn.task SET lease_until = ${until} WHERE name = $1 AND epoch = $3 RETURNING 1`, [
      name,
      ms,
      task.epoch,
    ]);
  const assertHeld = async () => {
    if ((await hold()).length === 0) throw takenOver(name, ms);
  };
  // If the ledger cannot be told, the lease runs out by itself.
  const renewing = setInterval(() => void hold().catch(() => {}), ms / 3);
  try {
    return await work(assertHeld);
  } finally {
    clearInterval(renewing);
    // A renewal that is still on its way is refused then.
    await control
      .query(`UPDATE firn.task SET lease_until = '-infinity', epoch = epoch + 1 WHERE name = $1 AND epoch = $2`, [
        name,
        task.epoch,
      ])
      .catch(() => {});
  }
}

const takenOver = (name: string, ms: number) =>
  new FirnError(
    'locked',
    `Another process took over (${name}): this one, or its way to the control database, stood still for more than ${ms / 1000} s. What the other one does counts; run again.`,
    { retryable: true },
  );
