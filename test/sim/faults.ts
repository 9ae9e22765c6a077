import type { Random } from './random.ts';

/** Everything that can go wrong, with the highest share that a seed may draw: of answers, of pages, of rows, of runs. */
const highest = {
  // Answers of a server that wants less, in every form in which it can say how long.
  retryAfterSeconds: 0.02,
  retryAfterDate: 0.02,
  retryAfterOldDate: 0.02,
  retryAfterPast: 0.02,
  retryAfterGarbage: 0.02,
  retryAfterNone: 0.02,
  retryAfterLong: 0.02,
  rateLimitReset: 0.02,
  rateLimitEpoch: 0.02,
  rateLimitList: 0.02,
  rateLimitItem: 0.02,
  unavailableRetryAfter: 0.02,
  // A good answer that says that nothing is left for now.
  quotaSpent: 0.1,
  // Answers of a server, a proxy or a line that fails.
  status500: 0.05,
  status502Html: 0.03,
  reset: 0.04,
  resetInBody: 0.03,
  stall: 0.02,
  stallInBody: 0.02,
  trickle: 0.02,
  truncated: 0.03,
  cutJson: 0.03,
  html: 0.03,
  emptyBody: 0.03,
  errorBody: 0.03,
  redirect: 0.04,
  compressed: 0.5,
  staleAnswer: 0.3,
  // Pages.
  emptyPage: 0.1,
  emptyFirstPage: 0.1,
  shuffledPage: 0.2,
  swappedPages: 0.3,
  duplicatePage: 0.1,
  overlappingPage: 0.2,
  missingPage: 0.3,
  loop: 0.2,
  shortPage: 0.2,
  forgottenToken: 0.1,
  lookedUpTooSoon: 1,
  otherTransaction: 0.5,
  // Rows.
  unknownMember: 0.1,
  numberAsText: 0.1,
  nullMember: 0.1,
  unreadableRow: 0.1,
  // Calls of a batch.
  missingBlock: 0.1,
  missingReceipts: 0.4,
  unreadableBlock: 0.3,
  foreignBlock: 0.1,
  otherBlock: 0.1,
  foreignDetails: 0.2,
  refusedCall: 0.05,
  refusedBatch: 0.2,
  laggingNode: 0.3,
  batchOutOfOrder: 0.4,
  batchIncomplete: 0.2,
  // Containers of an index.
  missingContainer: 0.2,
  shortRange: 0.4,
  swappedContainers: 0.4,
  duplicateContainer: 0.4,
  unreadableContainer: 0.1,
  fewerAtOnce: 0.3,
  nodeBehind: 0.3,
  // Hours of the world.
  outage: 0.3,
  refusedKey: 0.2,
  cappedPages: 0.3,
  tokensForOnce: 0.3,
  bootstrapping: 0.3,
  serviceRestart: 0.2,
  rolledBack: 0.2,
  reorganised: 0.8,
  clockJump: 0.2,
  clockStep: 0.05,
  growthWhileRead: 0.3,
  datedIntoPast: 0.2,
  tokenExpired: 0.1,
  // Runs of the process.
  crash: 0.3,
  diskFull: 0.25,
  failedWrite: 0.4,
  stopped: 0.15,
  changedConfiguration: 0.2,
} as const;

export type FaultName = keyof typeof highest;
export const faultNames = Object.keys(highest) as FaultName[];

/** Draws faults at the rates of a seed, and counts what they hit. */
export class Faults {
  readonly hits = new Map<FaultName, number>();
  readonly #rates: ReadonlyMap<FaultName, number>;
  readonly #random: Random;
  /** False: nothing goes wrong any more. */
  areOn = true;

  constructor(random: Random) {
    this.#random = random;
    // Half of them, so that a seed is no mere average of all.
    this.#rates = new Map(
      faultNames.filter(() => random.chance(0.5)).map((name) => [name, highest[name] * (0.1 + 0.9 * random.next())]),
    );
  }

  hit(name: FaultName): boolean {
    const isHit = this.draw(name);
    if (isHit) this.count(name);
    return isHit;
  }

  /** Whether it is to strike; whoever sees that it did counts it. */
  draw(name: FaultName): boolean {
    const rate = this.#rates.get(name) ?? 0;
    return this.areOn && rate > 0 && this.#random.chance(rate);
  }

  count(name: FaultName): void {
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
  }

  /** The first of several that hits. */
  oneOf<Name extends FaultName>(names: readonly Name[]): Name | undefined {
    return this.areOn ? this.#random.shuffle(names).find((name) => this.hit(name)) : undefined;
  }
}
