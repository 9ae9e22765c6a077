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
  retryAfterLong: 0.004,
  rateLimitReset: 0.02,
  rateLimitEpoch: 0.02,
  unavailableRetryAfter: 0.02,
  // Answers of a server, a proxy or a line that fails.
  status500: 0.05,
  status502Html: 0.03,
  reset: 0.04,
  resetInBody: 0.03,
  stall: 0.01,
  stallInBody: 0.01,
  trickle: 0.003,
  truncated: 0.03,
  cutJson: 0.03,
  html: 0.03,
  emptyBody: 0.03,
  errorBody: 0.03,
  // Pages.
  emptyPage: 0.1,
  emptyFirstPage: 0.1,
  shuffledPage: 0.2,
  swappedPages: 0.1,
  duplicatePage: 0.1,
  overlappingPage: 0.1,
  missingPage: 0.05,
  loop: 0.01,
  shortPage: 0.2,
  forgottenToken: 0.03,
  // Rows.
  unknownMember: 0.1,
  numberAsText: 0.1,
  nullMember: 0.1,
  unreadableRow: 0.01,
  // Calls of a batch.
  missingBlock: 0.01,
  missingReceipts: 0.03,
  unreadableBlock: 0.01,
  foreignBlock: 0.01,
  batchOutOfOrder: 0.2,
  batchIncomplete: 0.03,
  // Hours of the world.
  outage: 0.05,
  serviceRestart: 0.1,
  rolledBack: 0.1,
  reorganised: 0.1,
  clockJump: 0.1,
  growthWhileRead: 0.3,
  datedIntoPast: 0.1,
  tokenExpired: 0.1,
  // Runs of the process.
  crash: 0.3,
  diskFull: 0.15,
  failedWrite: 0.15,
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
    const rate = this.#rates.get(name) ?? 0;
    const isHit = this.areOn && rate > 0 && this.#random.chance(rate);
    if (isHit) this.count(name);
    return isHit;
  }

  count(name: FaultName): void {
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
  }

  /** The first of several that hits. */
  oneOf<Name extends FaultName>(names: readonly Name[]): Name | undefined {
    return this.areOn ? this.#random.shuffle(names).find((name) => this.hit(name)) : undefined;
  }
}
