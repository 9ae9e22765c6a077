import type { z } from 'zod';
import { FirnError, hasCode } from '../core/firnError.ts';
import { groupBy } from '../core/groupBy.ts';
import { parseBound } from '../core/heights/findHeight.ts';
import { checkGiven } from '../core/input/checkGiven.ts';
import { emptyText } from '../core/input/emptyText.ts';
import { meant } from '../core/input/meant.ts';
import { refuseUnset } from '../core/input/unsetVariable.ts';
import { lookbackSeconds } from '../core/stream/looksBack.ts';
import type { NetworkFacts } from '../core/stream/network.ts';
import { type Partition, partitionKey } from '../core/stream/partition.ts';
import type { Stream } from '../core/stream/stream.ts';
import { withPlace } from '../load/withPlace.ts';
import type { Settings } from './settings.ts';
import type { NetworkProblems } from './sources/resolveNetwork.ts';

/** A stream with its checked parameters. */
export interface PlannedStream {
  readonly pipeline: string;
  readonly stream: Stream;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What a sentence about one of its parameters begins with. */
  readonly at?: (...path: readonly PropertyKey[]) => string;
}

export interface Selection {
  /** Stream names and globs (`node/*`); all where it is empty. */
  readonly select?: readonly string[] | undefined;
  /** Pipelines by name; all where it is empty. */
  readonly pipelines?: readonly string[] | undefined;
}

/**
 * The streams of the configuration with their parameters checked by the streams' own schemas, in the catalogue's order.
 *
 * @throws FirnError `config` naming the place, the stream and the parameter; `usage` where a selection matches nothing
 */
export function planStreams(
  settings: Settings,
  catalogue: readonly Stream[],
  selection: Selection = {},
): PlannedStream[] {
  const planned = Object.entries(settings.pipelines).flatMap(([pipeline, { streams }]) =>
    Object.entries(streams).map(([id, given]) => ({ pipeline, ...checked(pipeline, id, given, settings, catalogue) })),
  );
  const order = new Map(catalogue.map((stream, index) => [stream.id, index]));
  const { select = [], pipelines = [] } = selection;
  const unknown = pipelines.find((name) => !Object.hasOwn(settings.pipelines, name));
  if (unknown !== undefined) {
    const known = Object.keys(settings.pipelines);
    throw new FirnError('usage', `The configuration has no pipeline "${unknown}". ${meant(unknown, known)}`);
  }
  const offered = planned.filter(({ pipeline }) => pipelines.length === 0 || pipelines.includes(pipeline));
  const ids = [...new Set(offered.map(({ stream }) => stream.id))];
  if (ids.length === 0)
    throw new FirnError(
      'config',
      `${placed(settings, ['pipelines'])}The configuration names no streams. Add some under pipelines, or run firn init.`,
    );
  const lost = select.find((glob) => !ids.some((id) => matches(glob, id)));
  if (lost !== undefined)
    throw new FirnError('usage', `Nothing matches ${lost} in the configuration. ${meant(lost, ids)}`);
  const chosen = offered.filter(({ stream }) => select.length === 0 || select.some((glob) => matches(glob, stream.id)));
  return chosen.sort((a, b) => (order.get(a.stream.id) ?? 0) - (order.get(b.stream.id) ?? 0));
}

/** What a sentence about a part of the configuration begins with, where it was read from a file. */
const placed = ({ placeOf }: Settings, path: readonly PropertyKey[]): string => (placeOf ? `${placeOf(path)}: ` : '');

function checked(pipeline: string, id: string, given: object, settings: Settings, catalogue: readonly Stream[]) {
  const at = (...path: readonly PropertyKey[]) => placed(settings, ['pipelines', pipeline, 'streams', id, ...path]);
  const refused = (sentence: string, ...path: readonly PropertyKey[]) =>
    new FirnError('config', `${at(...path)}${sentence}`);
  const stream = catalogue.find((candidate) => candidate.id === id);
  if (!stream) {
    const known = catalogue.map((candidate) => candidate.id);
    throw refused(`There is no stream "${id}". ${meant(id, known)}`);
  }
  const source = stream.source.name;
  if (!settings.sources[source])
    throw refused(`Stream ${id} reads the source "${source}", which is not configured. Add sources.${source}.url.`);
  refuseUnset(`${at()}Stream ${id}`, given);
  const { shape } = stream.parameters;
  if ('lookback' in given && !('lookback' in shape))
    throw refused(`Stream ${id} takes no lookback: ${noLookback[stream.way]}.`, 'lookback');
  const empty = emptyText(given);
  if (empty) {
    const [name = '', ...inner] = empty;
    const what = inner.length > 0 ? 'holds an empty text: write a name in its place, or remove it' : 'is empty';
    throw refused(`Stream ${id}: ${String(name)} ${what}.`, ...empty);
  }
  const parsed = checkGiven(stream.parameters as z.ZodType<Record<string, unknown>>, given);
  if ('sentence' in parsed) {
    // Of an option that it does not have the sentence lists those that it has.
    const known = Object.keys(shape).join(', ') || 'none';
    const list = parsed.sentence.endsWith(`${known}.`) ? '' : ` Its parameters are: ${known}.`;
    throw refused(`Stream ${id}: ${parsed.sentence}${list}`, ...parsed.path);
  }
  const { from, to } = parsed.data;
  if (isBackwards(from, to))
    throw refused(`Stream ${id}: from (${from}) lies behind to (${to}): there is nothing between.`, 'from');
  return { stream, parameters: parsed.data, at };
}

/** Whether a read would begin behind its end: it would be told as up to date, without a row. */
function isBackwards(from: unknown, to: unknown): boolean {
  const [first, last] = [boundOf(from), boundOf(to)];
  return ['height', 'time', 'age'].some((kind) => {
    const [begin, end] = [first[kind], last[kind]];
    if (begin === undefined || end === undefined) return false;
    return kind === 'age' ? begin < end : begin > end;
  });
}

/** A bound of a read; nothing where a stream means something else by the word. */
function boundOf(given: unknown): Readonly<Record<string, number>> {
  try {
    return typeof given === 'string' || typeof given === 'number' ? parseBound(given) : {};
  } catch {
    return {};
  }
}

const noLookback: Readonly<Record<Stream['way'], string>> = {
  range: 'its rows have numbers without a hole between them, so none can come late',
  snapshot: 'it is read whole at every run',
  lookup: 'it asks for each key once',
  slice: 'it asks about each place once, or reads its newest rows again by itself',
  newestFirst: 'it asks about each place once',
};

/** Whether a name fits a glob in which `*` stands for any characters. */
function matches(glob: string, name: string): boolean {
  const pattern = glob
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(name);
}

/** The EVM chains that streams name, spelled as they spell them. */
export const evmNames = (planned: readonly PlannedStream[]): string[] =>
  planned
    .filter(({ stream }) => stream.needs?.includes('evm'))
    .flatMap(({ parameters }) => (parameters['blockchainIds'] as string[] | undefined) ?? []);

/** The network, and questions about it that failed. */
export interface NetworkAsFarAsKnown {
  readonly network: NetworkFacts;
  readonly problems?: NetworkProblems;
}

/** A partition that is to be read, or what keeps it from being read. */
export interface ListedPartition {
  /** Its key; for a chain that is not known yet, the name in the configuration. */
  readonly key: string;
  /** null where only the name is known. */
  readonly partition: Partition | null;
  readonly problem?: unknown;
}

/** Every partition of a stream, each once. A problem with one keeps no other from being read. */
export function listPartitions(planned: PlannedStream, { network, problems }: NetworkAsFarAsKnown): ListedPartition[] {
  const { stream, parameters } = planned;
  if (!stream.needs?.includes('evm')) {
    const problem = stream.needs?.includes('network') ? problems?.identity : undefined;
    return once(
      listed(
        () => partitionsOf(planned, network),
        'all',
        () => problem,
      ),
    );
  }
  const names = parameters['blockchainIds'] as readonly string[];
  const all = names.flatMap((name) =>
    listed(
      () => partitionsOf({ ...planned, parameters: { ...parameters, blockchainIds: [name] } }, network),
      `blockchain_id=${name}`,
      (partition) => {
        const chain = network.chains.find(({ chainId }) => chainId === partition?.values['chain_id']);
        // The meaning of a chain id is not known while the C-Chain does not answer.
        return problems?.chains.get(chain?.alias ?? name) ?? (chain ? undefined : problems?.chains.get('C'));
      },
    ),
  );
  return once(all);
}

const once = (listed: readonly ListedPartition[]): ListedPartition[] => [
  ...new Map(listed.map((one) => [one.key, one])).values(),
];

/** Every partition of all of these; null where one of them cannot be listed: reading it fails later, with its own message. */
export function allPartitions(planned: readonly PlannedStream[], network: NetworkFacts): readonly Partition[] | null {
  const listed = planned.flatMap((one) => listPartitions(one, { network }).map(({ partition }) => partition));
  return listed.every((partition) => partition !== null) ? listed : null;
}

/** Snapshots with partitions that have lists of names or extras, each with all that is configured of it. */
export function snapshotsOfLists(
  configured: readonly PlannedStream[],
  network: NetworkFacts,
): { readonly stream: Stream; readonly partitions: readonly Partition[] }[] {
  const snapshots = configured.filter(({ stream }) => stream.way === 'snapshot');
  return [...groupBy(snapshots, ({ stream }) => stream)]
    .map(([stream, own]) => ({ stream, partitions: allPartitions(own, network) ?? [] }))
    .filter(({ partitions }) => partitions.some(({ lists, extras }) => lists ?? extras));
}

/** Keys of all configured partitions, by stream; null where one of them cannot be listed. */
export function configuredKeys(
  configured: readonly PlannedStream[],
  network: NetworkFacts,
): ReadonlyMap<string, readonly string[] | null> {
  const keysOf = (planned: readonly PlannedStream[]) => allPartitions(planned, network)?.map(partitionKey) ?? null;
  const byStream = groupBy(configured, ({ stream }) => stream.id);
  return new Map([...byStream].map(([id, planned]) => [id, keysOf(planned)]));
}

/** Where the configuration has a partition begin, of streams of which a backfill reads what lies below; undefined for all else. */
export function beginOf({ stream, parameters }: PlannedStream, partition: Partition): string | undefined {
  const isFilled = 'between' in stream || ('timeAt' in stream && stream.way === 'range');
  if (!(isFilled && 'from' in stream.parameters.shape)) return undefined;
  const from = partition.from ?? parameters['from'] ?? 0;
  return Object.keys(boundOf(from)).length > 0 ? String(from) : undefined;
}

/** Where the configuration has partitions begin, by their keys, as `beginOf` says. */
export const configuredBegins = (
  planned: readonly PlannedStream[],
  network: NetworkFacts,
): ReadonlyMap<string, string | undefined> =>
  new Map(
    planned.flatMap((one) =>
      listPartitions(one, { network }).flatMap(({ key, partition }) =>
        partition ? [[key, beginOf(one, partition)] as const] : [],
      ),
    ),
  );

function partitionsOf(planned: PlannedStream, network: NetworkFacts): readonly Partition[] {
  const { stream, parameters } = planned;
  const partitions = placing(planned, () => stream.partitions(parameters as never, network));
  const text = 'looksBack' in stream ? (parameters['lookback'] as string | undefined) : undefined;
  if (text === undefined) return partitions;
  return partitions.map(({ notes = [], ...partition }) => ({
    ...partition,
    lookback: lookbackSeconds(text),
    notes: [...notes, `reads the last ${text} again`],
  }));
}

/** Says of an item of a list that a stream refuses where it stands. */
function placing<T>({ parameters, at }: PlannedStream, list: () => T): T {
  try {
    return list();
  } catch (error) {
    const given = hasCode(error, 'config') && error.context.given;
    if (!given || !at) throw error;
    for (const [name, items] of Object.entries(parameters)) {
      const isGiven = (item: unknown) =>
        String(item)
          .split(',')
          .some((part) => part.trim() === given);
      const index = Array.isArray(items) ? items.findIndex(isGiven) : -1;
      if (index >= 0) throw new FirnError('config', `${at(name, index)}${error.message}`, { cause: error });
    }
    throw error;
  }
}

function listed(
  partitions: () => readonly Partition[],
  name: string,
  problemOf: (partition?: Partition) => FirnError | undefined,
): ListedPartition[] {
  try {
    return partitions().map((partition) => {
      const problem = problemOf(partition);
      return { key: partitionKey(partition), partition, ...(problem && { problem }) };
    });
  } catch (error) {
    return [{ key: name, partition: null, problem: problemOf() ?? withPlace(error) }];
  }
}
