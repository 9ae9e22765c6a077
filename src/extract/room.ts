import { EventEmitter, once } from 'node:events';

/** Says how many bytes a request holds now, and waits until there is room for them. Throws the signal's reason. */
export type HoldBytes = (bytes: number, signal: AbortSignal) => Promise<void>;

/** Room for the bytes of answers, shared by requests. */
export interface Room {
  /** What `work` holds is free again when it ends. */
  seated<T>(work: (hold: HoldBytes) => Promise<T>): Promise<T>;
}

/**
 * @param most bytes at a time. The request that has held some for longest never waits, so that all come to their end, even an answer larger than
 *   the room: together they hold at most `most` and one answer more
 */
export function createRoom(most: number): Room {
  const freed = new EventEmitter<{ freed: [] }>().setMaxListeners(0);
  /** Bytes by request, the oldest first. */
  const seats = new Map<object, number>();
  let used = 0;
  return {
    async seated(work) {
      const seat = {};
      try {
        return await work(async (bytes, signal) => {
          const held = seats.get(seat) ?? 0;
          seats.set(seat, held);
          while (bytes > held && used - held + bytes > most && seats.keys().next().value !== seat) {
            await once(freed, 'freed', { signal }).catch(() => {});
            signal.throwIfAborted();
          }
          used += bytes - held;
          seats.set(seat, bytes);
          if (bytes < held) freed.emit('freed');
        });
      } finally {
        used -= seats.get(seat) ?? 0;
        seats.delete(seat);
        freed.emit('freed');
      }
    },
  };
}
