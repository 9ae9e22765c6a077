import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Container, World } from './world.ts';

type Outcome = { readonly result: unknown } | { readonly error: object };

/** The index of a node: what it accepted, in that order, as faulty as it is told to be. */
export class NodeIndex {
  /** As this node has it; undefined where it has what is settled. */
  containers: readonly Container[] | undefined;
  readonly #world: World;
  readonly #faults: Faults;
  readonly #random: Random;

  constructor(world: World, faults: Faults, random: Random) {
    this.#world = world;
    this.#faults = faults;
    this.#random = random;
  }

  /** @param late how many of the newest this node does not have yet */
  outcome(method: string, params: unknown, late: number): Outcome {
    const whole = this.containers ?? this.#world.containers;
    const all = whole.slice(0, Math.max(1, whole.length - late));
    const { index, id, startIndex, numToFetch } = params as Readonly<Record<string, unknown>>;
    if (method === 'index.getIndex') {
      const found = all.find((container) => container.id === id);
      return found ? { result: { index: String(found.index) } } : failed('not found');
    }
    const last = all.at(-1);
    if (!last) return failed('no containers have been accepted');
    if (method === 'index.getLastAccepted') return { result: written(last) };
    if (method === 'index.getContainerByIndex') {
      const container = all[Number(index)];
      return container ? { result: written(container) } : failed(`no container at index ${index}`);
    }
    if (method !== 'index.getContainerRange') return failed(`the method ${method} does not exist`);
    const [start, most] = [Number(startIndex), Number(numToFetch)];
    if (most > 1 && this.#faults.hit('fewerAtOnce'))
      return failed(`numToFetch must be in [1,${this.#random.between(1, most - 1)}] but is ${most}`);
    if (start > last.index || this.#faults.hit('nodeBehind'))
      return failed(`start index (${start}) > last accepted index (${Math.min(start - 1, last.index)})`);
    return { result: { containers: this.#shown(all.slice(start, start + most)).map((one) => this.#spoilt(one)) } };
  }

  #shown(range: readonly Container[]): readonly Container[] {
    const place = this.#random.between(0, range.length - 1);
    switch (this.#faults.oneOf(['missingContainer', 'shortRange', 'swappedContainers', 'duplicateContainer'])) {
      case 'missingContainer':
        return range.toSpliced(place, 1);
      case 'shortRange':
        return range.slice(0, place);
      case 'swappedContainers':
        return range.toReversed();
      case 'duplicateContainer':
        return range.toSpliced(place, 0, range[place] as Container);
      default:
        return range;
    }
  }

  /** Bytes that do not match their checksum are nobody's. */
  #spoilt(container: Container): object {
    const row = written(container);
    return this.#faults.hit('unreadableContainer') ? { ...row, bytes: `${row.bytes.slice(0, -8)}00000000` } : row;
  }
}

const failed = (message: string): Outcome => ({ error: { code: -32000, message, data: null } });

const written = ({ index, id, bytes, timestamp }: Container) => ({
  id,
  bytes,
  timestamp,
  encoding: 'hex',
  index: String(index),
});
