import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop that nobody else takes here: pieces of work that come one a turn let whatever else waits go in
 * between. Nobody waits longer than those before it.
 */
export function loopTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}
