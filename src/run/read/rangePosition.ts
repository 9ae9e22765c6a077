import type { Row } from '../../core/columns/columnType.ts';

/** Checkpoint of a range stream: the next position to read, and the first one of which only a part was taken. */
export type RangePosition = {
  readonly next: number;
  readonly partFrom?: number;
};

/** A checkpoint, once a part was taken of a position below it: all from there on is read again when all of it is wanted. */
export function takenInPart(at: RangePosition, position: number | undefined): RangePosition {
  return position === undefined ? at : { ...at, partFrom: Math.min(position, at.partFrom ?? at.next) };
}

/** A range stream before it is read. */
export interface RangeLook {
  readonly saved: RangePosition | null;
  /** Last position of the source; null where it has none. */
  readonly head: number | null;
  /** The row that was read last, where the source was asked about it. */
  readonly previous: Row | undefined;
}
