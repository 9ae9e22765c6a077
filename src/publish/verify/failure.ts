/** One thing that `verify` found wrong. */
export interface Failure {
  readonly check: 'missing' | 'changed' | 'foreign' | 'rows' | 'gap' | 'parent' | 'load' | 'reader' | 'state';
  /** File (relative to the lake; the state and a reader database to the warehouse) or table. */
  readonly item: string;
  readonly message: string;
}

/** What a check needs to know of a caller that may lose patience. */
export interface Watch {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}
