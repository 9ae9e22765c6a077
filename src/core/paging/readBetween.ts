import type { Page, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Advance, Between, Pages } from '../stream/stream.ts';
import {
  dropBelow,
  type Floor,
  floorOf,
  isGood,
  type KeptToken,
  keptToken,
  type NewestFirst,
  type NewestFirstPosition,
  watchFloor,
} from './newestFirst.ts';
import { restartsAllowed, walkPages } from './walkPages.ts';

/** How far a backfill has come. */
export type BetweenPosition = {
  /** Where it ends; an age is resolved once. */
  readonly floor?: Floor;
  readonly reading?: KeptToken;
};

/**
 * Reads what lies between two bounds of a list that can only be walked from its newest row on: pages above are passed over,
 * and the walk ends at the lower bound. Its page token is durable, so that it outlives runs; one that the source refuses, that is too old
 * or that another request was given, starts the walk over.
 */
export function* readBetween(options: NewestFirst<BetweenPosition>, bounds: Between): Pages<BetweenPosition> {
  const { floor: begun, reading } = options.window.position ?? {};
  // A floor without a token is what the last step leaves.
  if (begun && !reading) return;
  let floor = begun;
  let token = reading && isGood(options, reading) ? reading.token : undefined;
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
export function backfilled(main: NewestFirstPosition | null, { floor }: BetweenPosition): NewestFirstPosition | null {
  const since = main?.since;
  const isLower = floor?.time !== undefined && since?.time !== undefined && since.time < floor.time;
  const isDeeper = floor?.height !== undefined && since?.height !== undefined && since.height < floor.height;
  return !main || floor === undefined || isLower || isDeeper ? main : { ...main, since: floor };
}

interface End {
  readonly floor: Floor | undefined;
}

function* walk(
  options: NewestFirst<BetweenPosition>,
  { from, to }: Between,
  begun: Floor | undefined,
  token: string | undefined,
): Generator<Request | Reading | Advance<BetweenPosition>, End | (End & { readonly refused: unknown }), Page> {
  const ceiling = to === null ? undefined : floorOf(options, to);
  let floor = begun;
  const watched = watchFloor();
  const refused = yield* walkPages<BetweenPosition>({
    request: options.request,
    token,
    lost: {},
    goesOn: () => !watched.isMet,
    take(page, token) {
      if (page.length > 0) floor ??= floorOf(options, from, page);
      const below = dropBelow(options, floor, page);
      page.within(options.time, undefined, ceiling?.time);
      page.within(options.height, undefined, ceiling?.height);
      if (watched.isPassed(page.numbers(options.cursor), below)) return 'end';
      return token !== undefined && floor ? { floor, reading: keptToken(options, token) } : undefined;
    },
  });
  return { floor, ...refused };
}
