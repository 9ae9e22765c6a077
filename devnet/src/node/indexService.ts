import { toCb58 } from '../codec/cb58.ts';
import { visibleCount } from '../countUpTo.ts';
import { type Faults, rangeFaults } from '../faults.ts';
import type { ContainerRecord } from '../types.ts';
import { type Encoding, encoding, id, type Methods, method, recodeHex, uint64 } from './args.ts';
import { RpcError } from './rpcError.ts';

const comma = Buffer.from(',');
const otherId = toCb58(Buffer.alloc(32, 0xbb));

/** One container as its index counts it. */
export interface IndexedContainer {
  readonly visibleAt: number;
  readonly container: ContainerRecord;
}

/** The containers of an index by position and by id. */
interface Containers {
  count(now: number): number;
  /** null for an id that is not there by then. */
  find(id: string, now: number): number | null;
  /** The JSON text of one container. */
  textOf(position: number, encoding: Encoding): Buffer;
}

/**
 * The six methods of one container index; `containers[i]` has index i. With `seedShapes` a range is a bare array, as the documentation
 * has it.
 */
export function createIndexService(
  name: string,
  containers: readonly IndexedContainer[],
  faults: Faults,
  seedShapes: () => boolean,
): Methods {
  const own = readContainers(containers);
  const positionOf = (container: string, now: number): number => {
    const position = own.find(container, now);
    if (position === null) throw new RpcError('not found');
    return position;
  };
  return {
    GetContainerRange: method({ startIndex: uint64, numToFetch: uint64, encoding }, (asked, now) => {
      if (asked.numToFetch === 0n && seedShapes()) return 'null';
      const texts = rangeOf(own, asked, now);
      spoil(texts, faults, `${name} ${asked.startIndex} ${asked.numToFetch}`);
      const joined = texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]));
      const [open, close] = seedShapes() ? ['[', ']'] : ['{"containers":[', ']}'];
      return Buffer.concat([Buffer.from(open), ...joined, Buffer.from(close)]);
    }),
    GetContainerByIndex: method({ index: uint64, encoding }, ({ index, encoding }, now) => {
      if (index >= BigInt(own.count(now))) throw new RpcError(`no container at index ${index}`);
      return own.textOf(Number(index), encoding);
    }),
    GetContainerByID: method({ id, encoding }, ({ id, encoding }, now) => own.textOf(positionOf(id, now), encoding)),
    GetLastAccepted: method({ encoding }, ({ encoding }, now) => {
      if (own.count(now) === 0) throw new RpcError('no containers have been accepted');
      return own.textOf(own.count(now) - 1, encoding);
    }),
    GetIndex: method({ id }, ({ id }, now) => `{"index":"${positionOf(id, now)}"}`),
    IsAccepted: method({ id }, ({ id }, now) => `{"isAccepted":${own.find(id, now) !== null}}`),
  };
}

function readContainers(containers: readonly IndexedContainer[]): Containers {
  let positions: Map<string, number> | undefined;
  const count = (now: number): number => visibleCount(containers, now);
  const write = (position: number, encoding: Encoding): Buffer => {
    const { container } = containers[position] as IndexedContainer;
    const bytes = recodeHex(container.bytes, encoding);
    return Buffer.from(
      `{"id":"${container.id}","bytes":"${bytes}","timestamp":"${container.timestamp}","encoding":"${encoding}","index":"${position}"}`,
    );
  };
  /** Container texts, ready in the usual encoding: a range of 1,024 is then copied together, not built. */
  const ready: Buffer[] = [];
  return {
    count,
    find(container, now) {
      positions ??= new Map(containers.map((one, position) => [one.container.id, position]));
      const position = positions.get(container);
      return position !== undefined && position < count(now) ? position : null;
    },
    textOf(position, encoding) {
      if (encoding !== 'hex') return write(position, encoding);
      ready[position] ??= write(position, encoding);
      return ready[position];
    },
  };
}

interface Range {
  readonly startIndex: bigint;
  readonly numToFetch: bigint;
  readonly encoding: Encoding;
}

function rangeOf(containers: Containers, { startIndex, numToFetch, encoding }: Range, now: number): Buffer[] {
  const count = containers.count(now);
  if (numToFetch < 1n || numToFetch > 1024n) throw new RpcError(`numToFetch must be in [1,1024] but is ${numToFetch}`);
  if (count === 0) throw new RpcError('no containers have been accepted');
  if (startIndex >= BigInt(count)) {
    throw new RpcError(`start index (${startIndex}) > last accepted index (${count - 1})`);
  }
  const first = Number(startIndex);
  const length = Math.min(count - first, Number(numToFetch));
  return Array.from({ length }, (_, at) => containers.textOf(first + at, encoding));
}

/** Damages one container of a range as a fault says. */
function spoil(texts: Buffer[], faults: Faults, range: string): void {
  const fault = faults.pick(rangeFaults, range);
  if (fault === null) return;
  // A hole is put in the middle: a range that is merely shorter would be a correct answer.
  const inner = fault === 'hole' && texts.length > 2 ? 1 : 0;
  const at = inner + Math.floor(faults.number('container', range) * (texts.length - 2 * inner));
  const text = String(texts[at] ?? '');
  if (fault === 'hole') texts.splice(at, 1);
  if (fault === 'checksum') {
    const digit = text.indexOf('"bytes":"0x') + '"bytes":"0x'.length + 20;
    texts[at] = Buffer.from(`${text.slice(0, digit)}${text[digit] === '0' ? '1' : '0'}${text.slice(digit + 1)}`);
  }
  // A well-formed id, but not the hash of these bytes.
  if (fault === 'wrongId') {
    texts[at] = Buffer.from(text.replace(/"id":"[^"]+"/, `"id":"${otherId}"`));
  }
}
