import { encodeCb58 } from '../cb58.ts';
import type { Faults } from '../faults.ts';
import { rangeFaults } from '../faults.ts';
import type { ContainerRecord, Raw } from '../types.ts';
import { visibleCount } from '../visibleCount.ts';
import { type Args, type Encoding, encodingArg, idArg, recodeHex, uint64Arg } from './args.ts';
import { RpcError } from './rpcError.ts';

const COMMA = Buffer.from(',');
const OTHER_ID = encodeCb58(Buffer.alloc(32, 0xbb));

/** One container as its index counts it. */
export interface IndexedContainer {
  readonly visibleAt: number;
  readonly container: ContainerRecord;
}

/** The six methods of one container index; `containers[i]` has index i. */
export function createIndexService(name: string, containers: readonly IndexedContainer[], faults: Faults) {
  let positions: Map<string, number> | undefined;
  const positionOf = (id: string, count: number): number | null => {
    positions ??= new Map(containers.map(({ container }, position) => [container.id, position]));
    const position = positions.get(id);
    return position !== undefined && position < count ? position : null;
  };
  const write = (position: number, encoding: Encoding): Raw => {
    const { container } = containers[position] as IndexedContainer;
    return containerText(container.id, recodeHex(container.bytes, encoding), container.timestamp, encoding, position);
  };

  /** Ready texts of containers in the usual encoding: a range of 1,024 is then copied together, not built. */
  const ready: Buffer[] = [];
  const bytesOf = (position: number, encoding: Encoding): Buffer => {
    if (encoding !== 'hex') return Buffer.from(write(position, encoding));
    ready[position] ??= Buffer.from(write(position, encoding));
    return ready[position];
  };

  const range = (args: Args, count: number, seedShapes: boolean): Raw | Uint8Array => {
    const start = uint64Arg(args, 'startIndex');
    const wanted = uint64Arg(args, 'numToFetch');
    const encoding = encodingArg(args);
    if (wanted === 0n && seedShapes) return 'null';
    if (wanted < 1n || wanted > 1024n) throw new RpcError(`numToFetch must be in [1,1024] but is ${wanted}`);
    if (count === 0) throw new RpcError('no containers have been accepted');
    if (start >= BigInt(count)) throw new RpcError(`start index (${start}) > last accepted index (${count - 1})`);
    const first = Number(start);
    const texts: Buffer[] = [];
    for (let at = first; at < Math.min(count, first + Number(wanted)); at++) texts.push(bytesOf(at, encoding));
    spoil(texts, faults, `${name} ${start} ${wanted}`);
    const joined = texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text]));
    const [open, close] = seedShapes ? ['[', ']'] : ['{"containers":[', ']}'];
    return Buffer.concat([Buffer.from(open), ...joined, Buffer.from(close)]);
  };

  return (method: string, args: Args, now: number, seedShapes: boolean): Raw | Uint8Array | null => {
    const count = visibleCount(containers, now);
    switch (method) {
      case 'GetContainerRange':
        return range(args, count, seedShapes);
      case 'GetContainerByIndex': {
        const index = uint64Arg(args, 'index');
        const encoding = encodingArg(args);
        if (index >= BigInt(count)) throw new RpcError(`no container at index ${index}`);
        return write(Number(index), encoding);
      }
      case 'GetContainerByID': {
        const id = idArg(args, 'id');
        const encoding = encodingArg(args);
        return write(found(positionOf(id, count)), encoding);
      }
      case 'GetLastAccepted': {
        const encoding = encodingArg(args);
        if (count === 0) throw new RpcError('no containers have been accepted');
        return write(count - 1, encoding);
      }
      case 'GetIndex':
        return `{"index":"${found(positionOf(idArg(args, 'id'), count))}"}`;
      case 'IsAccepted':
        return `{"isAccepted":${positionOf(idArg(args, 'id'), count) !== null}}`;
      default:
        return null;
    }
  };
}

function containerText(id: string, bytes: string, timestamp: string, encoding: Encoding, index: number): Raw {
  return `{"id":"${id}","bytes":"${bytes}","timestamp":"${timestamp}","encoding":"${encoding}","index":"${index}"}`;
}

function found(position: number | null): number {
  if (position === null) throw new RpcError('not found');
  return position;
}

/** Spoils one container of a range in the way a fault says. */
function spoil(texts: Buffer[], faults: Faults, range: string): void {
  const fault = faults.pick(rangeFaults, range);
  if (fault === null) return;
  // A hole is in the middle where there is one: a range that is only shorter is a right answer.
  const inner = fault === 'hole' && texts.length > 2 ? 1 : 0;
  const at = inner + Math.floor(faults.number('container', range) * (texts.length - 2 * inner));
  const text = String(texts[at] ?? '');
  if (fault === 'hole') texts.splice(at, 1);
  if (fault === 'checksum') {
    const digit = text.indexOf('"bytes":"0x') + '"bytes":"0x'.length + 20;
    texts[at] = Buffer.from(`${text.slice(0, digit)}${text[digit] === '0' ? '1' : '0'}${text.slice(digit + 1)}`);
  }
  // Well formed, but not the hash of these bytes.
  if (fault === 'wrongId') {
    texts[at] = Buffer.from(text.replace(/"id":"[^"]+"/, `"id":"${OTHER_ID}"`));
  }
}
