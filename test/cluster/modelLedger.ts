import type { Lease, LedgerCommit } from '../../src/cluster/contract.ts';

/** The notes of a batch that tells nothing. */
export const noNotes: LedgerCommit['notes'] = { load: [], quarantine: [], schema_change: [], gap: [], lookup: [] };

/** What one worker reads at a time, as it ought to be. */
interface ModelPart {
  readonly first: number;
  readonly last: number;
  next: number | null;
  /** The lease that counts; undefined where nobody has one. */
  holder: Lease | undefined;
  isExpired: boolean;
}

/** The ledger of one partition that is read by positions, in memory: what the real one is held against. */
export class ModelLedger {
  /** By the first position. The part that stands for the whole has the key -1. */
  readonly parts = new Map<number, ModelPart>([
    [-1, { first: -1, last: Infinity, next: null, holder: undefined, isExpired: false }],
  ]);
  /** Positions whose rows are there, with how often. */
  readonly rows = new Map<number, number>();
  dividedTo: number | undefined;

  partOf({ range }: Pick<Lease, 'range'>): ModelPart | undefined {
    return this.parts.get(range?.first ?? -1);
  }

  /** One that is read to its end is over when it is given back, and not before. */
  isFree({ holder, isExpired, next, last }: ModelPart): boolean {
    return holder === undefined ? (next ?? 0) <= last : isExpired;
  }

  /** Whether what the holder of the lease says counts: it is the newest of its part, whether it expired or not. */
  counts(lease: Lease): boolean {
    return this.partOf(lease)?.holder === lease;
  }

  divide(last: number, first: number, size: number): void {
    for (let from = this.dividedTo ?? first; from <= last; from += size)
      this.parts.set(from, {
        first: from,
        last: Math.min(from + size - 1, last),
        next: null,
        holder: undefined,
        isExpired: false,
      });
    this.dividedTo = Math.max(this.dividedTo ?? first, last + 1);
  }

  commit(part: ModelPart, to: number): void {
    for (let at = part.next ?? part.first; at < to; at++) this.rows.set(at, (this.rows.get(at) ?? 0) + 1);
    part.next = to;
  }

  /** Up to where everything was read and given back. */
  joinedTo(first: number): number | undefined {
    if (this.dividedTo === undefined) return undefined;
    const over = [...this.parts.values()].filter(({ first: at, holder }) => at >= 0 && holder === undefined);
    const ends = new Map(
      over.filter(({ next, last }) => (next ?? 0) > last).map(({ first: at, last }) => [at, last + 1]),
    );
    let at = first;
    for (let next = ends.get(at); next !== undefined; next = ends.get(at)) at = next;
    return at;
  }
}
