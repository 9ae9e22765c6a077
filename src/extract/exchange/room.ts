import { EventEmitter, once } from 'node:events';

/** Says how many bytes a request holds now; where there is no room for them, a promise that ends when there is, or with the request. */
export type HoldBytes = (bytes: number) => Promise<void> | undefined;

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
      let isLeft = false;
      const held = () => seats.get(seat) ?? 0;
      const hasRoom = (bytes: number) =>
        bytes <= held() || used - held() + bytes <= most || seats.keys().next().value === seat;
      const take = (bytes: number) => {
        const before = held();
        used += bytes - before;
        seats.set(seat, bytes);
        if (bytes < before) freed.emit('freed');
      };
      const wait = async (bytes: number) => {
        while (!isLeft && !hasRoom(bytes)) await once(freed, 'freed');
        if (!isLeft) take(bytes);
      };
      try {
        return await work((bytes) => {
          // An answer may still be unpacked when nobody waits for it any more.
          if (isLeft) return undefined;
          if (!seats.has(seat)) seats.set(seat, 0);
          if (!hasRoom(bytes)) return wait(bytes);
          take(bytes);
          return undefined;
        });
      } finally {
        isLeft = true;
        used -= held();
        seats.delete(seat);
        freed.emit('freed');
      }
    },
  };
}
