import type { Ledger } from 'firn-devnet';
import { createFaults } from '../../devnet/src/faults.ts';
import { createHead } from '../../devnet/src/head.ts';
import { createNode } from '../../devnet/src/node/createNode.ts';
import type { NodePart } from '../../devnet/src/node/nodeParts.ts';
import { watchSettings } from '../../devnet/src/node/watchSettings.ts';
import { createServices } from '../../devnet/src/services/createServices.ts';
import type { PageFaultRates } from '../../devnet/src/services/http/pageFaults.ts';
import type { Faults } from './faults.ts';
import type { Answering, Sent } from './network.ts';
import type { Random } from './random.ts';
import type { SimClock } from './simClock.ts';

/** What pages of lists can do, with the highest share that a seed may draw. Rows stay as they are. */
const highestOfPages: Required<Omit<PageFaultRates, 'missing' | 'drift' | 'extreme' | 'absurd' | 'names'>> = {
  duplicate: 0.2,
  overlapping: 0.2,
  reordered: 0.2,
  shuffled: 0.3,
  loop: 0.1,
  empty: 0.3,
  emptyFirst: 0.3,
  emptySecond: 0.3,
  emptyLook: 0.2,
  short: 0.3,
};
const lookups = /avm\.getTx|platform\.getRewardUTXOs/;
/** The same of ranges of containers. */
const highestOfRanges = { hole: 0.1, checksum: 0.1, wrongId: 0.1 };

/** The recorded network: the node and the services that answer from its ledger, up to a head that moves. */
export class LedgerServices implements Answering {
  readonly #head;
  readonly #node;
  readonly #services;
  readonly #nodeSettings;
  readonly #rangeFaults;
  readonly #pageFaults: Record<string, number>;
  readonly #faults: Faults;
  readonly #random: Random;
  /** What the node never has. */
  readonly #lacks: readonly NodePart[];
  /** How far the history has come, in percent. */
  #share: number;
  readonly #executesLater: boolean;
  /** Whether it is a node that has not come as far. */
  isBehind = false;

  constructor(ledger: Ledger, faults: Faults, random: Random, clock: SimClock) {
    const some = (highest: Readonly<Record<string, number>>) =>
      Object.fromEntries(
        Object.entries(highest)
          .filter(() => random.chance(0.4))
          .map(([name, share]) => [name, share * random.next()]),
      );
    this.#faults = faults;
    this.#executesLater = ledger.c.blocks.at(-1)?.settledHeight !== undefined;
    this.#random = random;
    this.#share = random.between(0, 60);
    this.#head = createHead(ledger, `${this.#share}%`);
    this.#lacks = random.chance(0.2) ? ['batches'] : [];
    this.#nodeSettings = watchSettings(this.#head, {
      without: this.#lacks,
      // Of blocks that are shown before they are accepted.
      unaccepted: random.pick([0, 0, 2]),
      seedShapes: random.chance(0.2),
    });
    this.#pageFaults = some(highestOfPages);
    const seed = random.between(1, 1e9);
    this.#rangeFaults = createFaults(some(highestOfRanges), seed);
    this.#node = createNode(ledger, this.#head, this.#nodeSettings, this.#rangeFaults);
    this.#services = createServices(ledger, this.#head, {
      seed,
      clock: () => clock.true,
      tokenLifetimeMs: random.pick([60_000, 3_600_000, 24 * 3_600_000]),
      pageFaults: this.#pageFaults,
      startInclusive: random.chance(0.7),
      endInclusive: random.chance(0.3),
      utxosPerPage: random.pick([5, 50, 1000]),
      nonLinearTransactions: random.chance(0.3),
    });
  }

  /** What happens between two runs: time goes on, or another node answers, which has not come as far or is not bootstrapped. */
  happen(): void {
    const random = this.#random;
    if (random.chance(0.7)) this.#share = Math.min(100, this.#share + random.between(0, 3000) / 100);
    this.isBehind = this.#faults.hit('rolledBack');
    this.#head.moveTo(`${this.isBehind ? random.between(0, Math.floor(this.#share)) : this.#share}%`);
    const late = this.#faults.hit('bootstrapping')
      ? [random.pick(['bootstrap', 'bootstrap-C', 'bootstrap-X'] as const)]
      : [];
    this.#nodeSettings.change({ without: [...this.#lacks, ...late] });
    if (this.#executesLater) this.#nodeSettings.change({ unexecuted: random.pick([0, 0, 1, 3, 20]) });
  }

  /** Time goes on to a share of the history, in percent, and nothing else happens: the node writes its answers in one form. */
  moveTo(share: number): void {
    this.#share = share;
    this.#head.moveTo(`${share}%`);
    this.#calm();
    this.#nodeSettings.change({ seedShapes: false });
  }

  /** The node's index is off between two shares of the history, in percent: it never has what came then. */
  skipIndex(from: number, to: number): void {
    this.moveTo(from);
    this.#nodeSettings.change({ without: [...this.#lacks, 'index'] });
    this.moveTo(to);
  }

  /** A little of the history comes while it is read. */
  grow(): void {
    this.#share = Math.min(100, this.#share + 0.05);
    if (!this.isBehind) this.#head.moveTo(`${this.#share}%`);
  }

  /** All is there, and nothing goes wrong any more. */
  end(): void {
    this.#calm();
    this.#head.moveTo('100%');
  }

  #calm(): void {
    for (const name of Object.keys(this.#pageFaults)) this.#pageFaults[name] = 0;
    this.#rangeFaults.setRates({});
    this.#nodeSettings.change({ without: this.#lacks, unexecuted: 0 });
  }

  /** Of several nodes behind one address another one answers each request. What is looked up may be missing once, and not twice. */
  #ofNodes(request: Parameters<ReturnType<typeof createNode>>[0]) {
    const isLate = !this.isBehind && !lookups.test(request.body) && this.#faults.hit('laggingNode');
    if (isLate) this.#head.moveTo(`${Math.max(0, this.#share - this.#random.between(1, 200) / 100)}%`);
    const answer = this.#node(request);
    if (isLate) this.#head.moveTo(`${this.#share}%`);
    return answer;
  }

  answer(method: string, target: string, body: string): Sent {
    const { pathname, searchParams } = new URL(target, 'http://ledger.sim');
    const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
    const request = { method, path: decodeURIComponent(pathname), query: searchParams, headers, body };
    return this.#ofNodes(request) ?? this.#services(request) ?? { status: 404, body: '404 page not found\n' };
  }
}
