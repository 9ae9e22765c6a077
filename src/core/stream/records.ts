import { listOf, memberOf, objectOf, textIn, wrongAnswer } from '../json/answerParts.ts';
import { each } from '../json/parseAround.ts';
import { RawList } from '../json/rawList.ts';
import { RawValue } from '../json/rawValue.ts';
import type { Partition } from './partition.ts';

/**
 * Where the records of an answer lie: members that lead to a list of them (`result.containers`); or places, where an answer is a record
 * itself, holds them by name, or does not say all of them.
 */
export type Records = string | RecordPlace | readonly RecordPlace[];

/** What of a place may be records. */
export const kindsOfRecords = ['item', 'member', 'member of member'] as const;

/** Records of an answer. Members of theirs are named as the schema does; paths are members with points between them, the empty one leads nowhere. */
export interface RecordPlace {
  /** Path from the answer. */
  readonly at?: string;
  /**
   * What of it are records: the items of a list or the members of an object, or with `member of member` those of the objects in it; left out: it
   * is one itself.
   */
  readonly each?: (typeof kindsOfRecords)[number];
  /** Members that are not records here: other places have them. */
  readonly but?: readonly string[];
  /** Whether an answer may lack this place. */
  readonly mayMiss?: boolean;
  /** A member of the answer in whose absence alone there are records. */
  readonly without?: string;
  /** Member of the record that holds the name under which it stands. */
  readonly name?: string;
  /**
   * Member that holds what the request is about, where the record does not say it itself. Answers to requests that are about nothing then have
   * no records.
   */
  readonly about?: string;
  /** Whether the record is the whole answer, with what is taken from the place. */
  readonly onto?: 'answer';
  /** Members by their paths from there: the record consists of these alone. */
  readonly take?: Readonly<Record<string, string>>;
  /** Members by their paths from the answer; at its end `*` is the name under which the record stands. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Members that are the same in all records of the place; what is found beside has the last word. */
  readonly also?: Readonly<Record<string, string | number>>;
  /** Paths of what the answer says once of all its records: members that repeat the partition's values, held against these. */
  readonly says?: Readonly<Record<string, string>>;
}

const nothing = RawValue.from({});
const membersOf = (path = '') => path.split('.').filter(Boolean);

/** Whether an answer holds records: not where they are about something, and it is about nothing. */
export const isAnswer = (records: Records, about: string | number | undefined): boolean =>
  about !== undefined || [records].flat().every((place) => typeof place === 'string' || place.about === undefined);

/** Steps to what of an answer comes unparsed: the items of a list, else all of it. */
export function stepsTo(records: Records): readonly string[] {
  const list = listIn(records);
  return list === undefined ? [] : [...list, each];
}

/** Members that lead to the list that an answer is a page of; undefined where it is none. */
function listIn(records: Records): readonly string[] | undefined {
  const {
    at,
    each: kind,
    take,
  } = typeof records === 'string' ? { at: records, each: 'item' } : (records as RecordPlace);
  return kind === 'item' && take === undefined ? membersOf(at) : undefined;
}

/**
 * The records of an answer, unparsed where they came unparsed.
 *
 * @param about what the request is about
 * @throws FirnError `contract` where the answer is not what was asked for
 */
export function recordsIn(
  records: Records,
  body: unknown,
  { values }: Pick<Partition, 'values'>,
  about?: string | number,
): Iterable<RawValue> {
  if (!isAnswer(records, about)) return [];
  const list = listIn(records);
  if (list === undefined) {
    const answer = RawValue.from(body);
    return [records as RecordPlace].flat().flatMap((place) => recordsAt(place, answer, about));
  }
  const inside = list.slice(0, -1).reduce<unknown>((outer, member) => objectOf(outer, member), body);
  const items = memberOf(inside, list.at(-1));
  const found = items instanceof RawList ? items : listOf(inside, list.at(-1)).map((item) => RawValue.from(item));
  const other = contradictions((records as RecordPlace).says ?? {}, body, values);
  return Object.keys(other).length === 0
    ? found
    : [...found].map((record) => (record.isObject() ? record.with(other) : record));
}

/** What an answer says of all its records that is not what was asked for. */
function contradictions(
  says: Readonly<Record<string, string>>,
  body: unknown,
  values: Partition['values'],
): Readonly<Record<string, RawValue>> {
  const said = Object.entries(says).map(([member, path]) => [member, valueAt(body, path)] as const);
  return Object.fromEntries(
    said
      .map(([member, value]) => [member, member === 'network' && value === 'testnet' ? 'fuji' : value] as const)
      .filter(([member, value]) => value !== undefined && textIn(value).toLowerCase() !== values[member]?.toLowerCase())
      .map(([member, value]) => [member, RawValue.from(value)]),
  );
}

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inside, member) => memberOf(inside, member), body);

function recordsAt(place: RecordPlace, answer: RawValue, about: string | number | undefined): readonly RawValue[] {
  if (place.without !== undefined && memberAt(answer, place.without)) return [];
  const value = memberAt(answer, place.at ?? '');
  if (value === undefined && place.mayMiss) return [];
  const beside = (name: string) =>
    found(place.beside, (path) => memberAt(answer, path.replace(/\*$/, ''), path.endsWith('*') ? name : undefined));
  return entriesOf(place, value, answer).map(([name, record]) => {
    const own = place.take
      ? (place.onto ? answer : nothing).with(found(place.take, (path) => memberAt(record, path)))
      : record;
    if (!own.isObject()) return own;
    const more = {
      ...own.also,
      ...rawMembers(place.also ?? {}),
      ...(place.name && rawMembers({ [place.name]: name })),
      ...beside(name),
      ...(place.about && about !== undefined && !own.member(place.about) && rawMembers({ [place.about]: about })),
    };
    return own.with(more);
  });
}

/** The value at a place, by name. */
function entriesOf(
  { at, each: kind, but = [], take }: RecordPlace,
  value: RawValue | undefined,
  answer: RawValue,
): readonly (readonly [string, RawValue])[] {
  const isWanted = kind === 'item' ? value?.isList() : value?.isObject();
  if (!value || !isWanted)
    throw wrongAnswer(answer.parse(), `${kind === 'item' ? 'list' : 'object'}${at ? ` "${at}"` : ''}`);
  if (kind === undefined) return [['', value]];
  if (kind === 'item') return (value.items() ?? []).map((item) => ['', item]);
  const members = value.entries().filter(([name]) => !but.includes(name));
  if (kind === 'member of member')
    return members.flatMap(([name, inner]) =>
      inner.isObject() ? inner.entries() : inner.isNull() ? [] : [[name, inner]],
    );
  const odd = take && Object.values(take).some(Boolean) ? members.find(([, inner]) => !inner.isObject()) : undefined;
  if (odd) throw wrongAnswer(answer.parse(), `object "${odd[0]}"`);
  return members.map(([name, inner]) => [name, take || inner.isObject() ? inner : nothing]);
}

/** A member by its path; undefined where there is none, or null. */
function memberAt(value: RawValue, path: string, name?: string): RawValue | undefined {
  const members = [...membersOf(path), ...(name === undefined ? [] : [name])];
  const inside = members.reduce<RawValue | undefined>((outer, member) => outer?.member(member), value);
  return inside?.isNull() ? undefined : inside;
}

function found(paths: RecordPlace['take'], find: (path: string) => RawValue | undefined): Record<string, RawValue> {
  const entries = Object.entries(paths ?? {}).flatMap(([member, path]) => {
    const value = find(path);
    return value ? [[member, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

const rawMembers = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, RawValue.from(value)]));
