/** What a build reads, and its audits, verdicts and versions with it, whatever workers apply meanwhile. */
export interface LakeCut {
  /** By the name under which a table is kept; a table without one is empty. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** Batches of loads whose rows had not reached all of their tables, by the name under which a table is kept that has any. */
  readonly partial: Stretches;
}

/** Stretches of numbers, in their order, by table. */
export type Stretches = Readonly<Record<string, readonly (readonly [first: number, last: number])[]>>;

/** What the last build that came to its end was made of: the cut that it read, with the tables that tell what stood where. */
export interface LastBuild extends LakeCut {
  /** Hash of the models' SQL; where it changes, everything is built again. */
  readonly modelsHash: string;
  /** Models that it left out, by lower-case names: their tables show less than the others. */
  readonly behind: readonly string[];
}
