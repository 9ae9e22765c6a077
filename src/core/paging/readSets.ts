import { groupBy } from '../groupBy.ts';
import type { Looking } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { LooksBack } from '../stream/looksBack.ts';
import type { Pages, Window } from '../stream/stream.ts';
import { endsBelow } from './endsBelow.ts';
import { readAscending } from './readAscending.ts';

/** Things read together by one list request (addresses), and how far each set of them has been read. */
export type SetsPosition = {
  /** Everything of the members below `next` has been read; `a,b` is a group. */
  readonly sets?: readonly { readonly next: number; readonly members: readonly string[] }[];
};

interface Options {
  readonly window: Window<SetsPosition>;
  /** Groups of members, without commas, that one request must name together. */
  readonly groups: readonly (readonly string[])[];
  /** Packs groups into as few requests as the source's limits allow. */
  readonly pack: (groups: readonly (readonly string[])[]) => readonly (readonly string[])[];
  /** First cursor wanted of a member that was never read; an age counts from the head. */
  readonly from: { readonly cursor: number } | { readonly age: number };
  /** First cursor no longer wanted; null for the head. */
  readonly to: number | null;
  /** Asks for the newest cursor of the source; null where it has no rows at all. */
  readonly head: () => Looking<number | null>;
  readonly request: (members: readonly string[], from: number, to: number | null, token: string | undefined) => Request;
  /** Column that ascends from page to page. */
  readonly cursor: string;
}

/**
 * Reads the history of many members (addresses) oldest first, as many of them in a request as it takes. Each group
 * keeps its own place, so that a new one is read alone from the beginning and then goes with the rest: together its members may show more than each
 * of them. Where that takes several requests, the head is asked first and all are read up to it, which gives them the same place.
 *
 * @throws FirnError `unavailable` where the head lies below where one of them stands
 */
export function* readSets(options: Options): Pages<SetsPosition> {
  // Only a group that is too large for one request is torn here.
  const groups = options.groups.flatMap((group) => options.pack([group]));
  const places = withinLarger(placesOf(options.window.position), groups);
  const furthest = Math.max(-1, ...groups.map((group) => places.get(nameOf(group)) ?? -1));
  const headAtLeast = function* (): Looking<number | null> {
    const head = yield* options.head();
    if ((head ?? -1) < furthest)
      throw endsBelow(options.request([], furthest, null, undefined), options.cursor, furthest);
    return head;
  };
  const isNew = groups.some((group) => !places.has(nameOf(group)));
  let head: number | null | undefined;
  if (isNew && 'age' in options.from) {
    head = yield* headAtLeast();
    if (head === null) return;
  }
  const start = 'age' in options.from ? (head ?? 0) - options.from.age : options.from.cursor;
  const requests = packedByPlace(options, groups, places, Math.max(0, start));
  if (requests.length > 1 && head === undefined) head = yield* headAtLeast();
  if (requests.length > 1 && head === null) return;
  for (const { next, members, names } of requests) {
    const shared = requests.length > 1 ? (head ?? null) : null;
    if (shared !== null && names.every((name) => (places.get(name) ?? -1) >= shared)) continue;
    const to = lowest(options.to, shared === null ? null : shared + 1);
    if (to !== null && next >= to) continue;
    yield* readAscending({
      from: next,
      to,
      request: (from, token) => options.request(members, from, to, token),
      cursor: options.cursor,
      position: (cursor) => movedTo(places, names, cursor),
    });
    if (shared !== null && (options.to === null || shared < options.to))
      yield { kind: 'advance', position: movedTo(places, names, shared) };
  }
}

function placesOf(position: SetsPosition | null): Map<string, number> {
  const places = new Map<string, number>();
  for (const { next, members } of position?.sets ?? []) for (const member of members) places.set(member, next);
  return places;
}

const nameOf = (group: readonly string[]) => [...new Set(group)].sort().join();

/** The places, with those of groups that were read as part of a larger one. */
function withinLarger(places: Map<string, number>, groups: readonly (readonly string[])[]): Map<string, number> {
  const larger = [...places]
    .filter(([name]) => name.includes(','))
    .map(([name, next]) => ({ members: new Set(name.split(',')), next }));
  for (const group of groups) {
    const name = nameOf(group);
    for (const { members, next } of larger)
      if (next > (places.get(name) ?? -1) && group.every((member) => members.has(member))) places.set(name, next);
  }
  return places;
}

/** Groups that stand at the same place share requests. */
function packedByPlace(
  options: Options,
  groups: readonly (readonly string[])[],
  places: ReadonlyMap<string, number>,
  start: number,
) {
  const byPlace = groupBy(groups, (group) => places.get(nameOf(group)) ?? start);
  return [...byPlace].flatMap(([next, together]) =>
    options.pack(together).map((members) => {
      const asked = new Set(members);
      return { next, members, names: together.filter((group) => group.every((one) => asked.has(one))).map(nameOf) };
    }),
  );
}

/** The position once everything below a cursor is to be read of groups that were never read. */
export function setsBegun(
  position: SetsPosition | null,
  groups: readonly (readonly string[])[],
  cursor: number,
): SetsPosition {
  const places = placesOf(position);
  const unread = groups.map(nameOf).filter((name) => !places.has(name));
  return movedTo(places, unread, cursor);
}

/** For positions of sets; another one stays as it is. */
export const looksBackBySets = (cursor: string): LooksBack<SetsPosition> => ({
  cursor,
  moved(position, to) {
    const sets = position.sets?.flatMap(({ next: at, members }) => {
      const next = to(at);
      return next === null ? [] : { next, members };
    });
    return { ...position, ...(sets && { sets }) };
  },
  notBelow(reached, checkpoint) {
    const places = placesOf(checkpoint);
    let position = checkpoint;
    for (const { next, members } of reached.sets ?? []) position = movedTo(places, members, next);
    return position;
  },
});

/** Moves groups in the map, never backwards, and gives the position to make durable. */
function movedTo(places: Map<string, number>, names: readonly string[], cursor: number): SetsPosition {
  for (const name of names) places.set(name, Math.max(cursor, places.get(name) ?? 0));
  const sets = [...groupBy(places, ([, next]) => next)].sort(([a], [b]) => a - b);
  return { sets: sets.map(([next, all]) => ({ next, members: all.map(([name]) => name).sort() })) };
}

const lowest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
