import { setTimeout as sleep } from 'node:timers/promises';
import { FirnError } from '../core/firnError.ts';
import { interruption } from '../extract/interruption.ts';
import { type OpenOptions, openWarehouse, type Warehouse } from '../load/warehouse.ts';

export interface LockWait {
  /** How long to wait for another run to end; 0 not at all. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Told once, with the sentence that names the holder. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

const pauseMs = 500;

/**
 * Opens the warehouse, waiting for its lock as long as is allowed.
 *
 * @throws FirnError `locked` when it is still held then · `interrupted` · as `openWarehouse` does
 */
export async function openWhenFree(options: OpenOptions, { waitMs, signal, onWait }: LockWait): Promise<Warehouse> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries++) {
    try {
      return await openWarehouse(options);
    } catch (error) {
      const isLocked = error instanceof FirnError && error.code === 'locked';
      if (!isLocked || performance.now() >= deadline) throw error;
      if (tries === 1) onWait?.(`${error.message.split('. ')[0]}. Waiting for it to end.`);
    }
    try {
      await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())), undefined, { signal });
    } catch {
      throw interruption(signal);
    }
  }
}
