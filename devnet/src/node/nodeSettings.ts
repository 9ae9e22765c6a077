import type { NodePart } from './nodeParts.ts';

/** Heights, both ends included, that are absent from an index (`C/block`, `P/block`, `X/block`) or an EVM chain (`C`, an L1's name). */
export type Gaps = Readonly<Record<string, readonly (readonly [number, number])[]>>;

/** How the node behaves; may be changed while it runs. */
export interface NodeSettings {
  readonly without: readonly NodePart[];
  /** An index that starts late, has holes or was wiped: its containers are counted without the absent ones. */
  readonly gaps: Gaps;
  /**
   * The shapes of the documentation: bare arrays of containers, `networkRules`, `proofOfPosession`, balances without maps, blocks without ids.
   */
  readonly seedShapes: boolean;
}

export const inGaps = (gaps: Gaps[string] | undefined, height: number): boolean =>
  gaps?.some(([from, to]) => height >= from && height <= to) ?? false;
