import type { Request, Response } from '../request.ts';
import type { Advance, Between, Pages, Position } from '../stream.ts';
import { createLoopGuard, isTokenRefused } from './loopGuard.ts';
import {
  type Floor,
  floorOf,
  isBelow,
  type NewestFirst,
  type NewestFirstPosition,
  restartsAllowed,
  tokenLifetime,
} from './newestFirst.ts';

/** How far a backfill has come. */
interface BetweenPosition {
  /** Where it ends; an age is resolved once. */
  readonly floor?: Floor;
  /** Page token with which it goes on, and when it was given. */
  readonly reading?: { readonly token: string; readonly at: number };
}

/**
 * Reads what lies between two bounds of a list that can only be walked from its newest row on: pages above are passed over,
 * and the walk ends at the lower bound. Its page token is durable, so that it outlives runs; one that the source refuses, or that is too old,
 * begins the walk anew.
 */
export function* readBetween(options: NewestFirst, bounds: Between): Pages {
  const { floor: begun, reading } = (options.window.position ?? {}) as BetweenPosition;
  // A floor without a token is what the last step leaves.
  if (begun && !reading) return;
  let floor = begun;
  let token = reading && options.window.now - reading.at < tokenLifetime ? reading.token : undefined;
  for (let restarts = 0; ; restarts++) {
    const end = yield* walk(options, bounds, floor, token);
    if (!('refused' in end)) {
      if (end.floor) yield { kind: 'advance', position: { floor: end.floor } };
      return;
    }
    if (restarts === restartsAllowed) throw end.refused;
    ({ floor } = end);
    token = undefined;
  }
}

/** Where a stream stands after a backfill of what lay below its first read: the floor is the lower of both. */
export function backfilled(main: Position, done: Position): Position {
  const { since } = main as NewestFirstPosition;
  const { floor } = done as BetweenPosition;
  const isLower = floor?.time !== undefined && since?.time !== undefined && since.time < floor.time;
  const isDeeper = floor?.height !== undefined && since?.height !== undefined && since.height < floor.height;
  return floor === undefined || isLower || isDeeper ? main : { ...main, since: floor };
}

interface End {
  readonly floor: Floor | undefined;
}

function* walk(
  options: NewestFirst,
  { from, to }: Between,
  begun: Floor | undefined,
  resume: string | undefined,
): Generator<Request | Advance, End | (End & { readonly refused: unknown }), Response> {
  const guard = createLoopGuard();
  const ceiling = to === null ? undefined : floorOf(options, to, []);
  let floor = begun;
  let token = resume;
  let metFloor = false;
  const isBelowFloor = (record: unknown) => floor !== undefined && isBelow(options, floor, record);
  for (;;) {
    const keep = (record: unknown) => !isBelowFloor(record) && !isAbove(options, ceiling, record);
    const asked = options.request(token, keep);
    let response: Response;
    try {
      response = yield asked;
    } catch (error) {
      if (isTokenRefused(error, token)) return { floor, refused: error };
      throw error;
    }
    const records = options.records(response.body);
    if (records.length > 0) floor ??= floorOf(options, from, records);
    let next: string | undefined;
    try {
      next = guard.next(asked, response.body);
    } catch (error) {
      // A token that leads nowhere must not be what the next run goes on with.
      yield { kind: 'advance', position: {} };
      throw error;
    }
    const below = records.filter(isBelowFloor).length;
    // Pages may come out of order: one wholly below the floor must follow before the end is believed.
    if ((metFloor && below > 0 && below === records.length) || next === undefined) return { floor };
    metFloor ||= below > 0;
    token = next;
    if (floor) yield { kind: 'advance', position: { floor, reading: { token, at: options.window.now } } };
  }
}

/** Whether a row surely lies at or above a ceiling; one that cannot be read may not, and goes on to the schema. */
function isAbove({ timeOf, heightOf }: NewestFirst, ceiling: Floor | undefined, record: unknown): boolean {
  if (ceiling === undefined) return false;
  if (ceiling.time !== undefined) return timeOf(record) >= ceiling.time;
  return ceiling.height !== undefined && heightOf(record) >= ceiling.height;
}
