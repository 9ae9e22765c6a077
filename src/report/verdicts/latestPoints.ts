import type { PlottedPoint } from '../reportData.ts';
import { groupOf } from './verdictFacts.ts';

/** The two points that people read first: a number that stays, and the newest one, which may still change. */
export interface LatestPoints {
  /** The newest that was compared and is settled; where nothing was compared, the newest with a recomputed value. */
  readonly settled: PlottedPoint | undefined;
  /** The newest after it that has a value, recomputed or served. */
  readonly provisional: PlottedPoint | undefined;
}

export function latestPoints(points: readonly PlottedPoint[]): LatestPoints {
  const compared = points.some(({ verdict }) => verdict !== null);
  const settled = points.findLast((point) => hasValue(point) && (compared ? isSettled(point) : true));
  const newest = points.findLast(hasValue);
  return { settled, provisional: newest === settled ? undefined : newest };
}

const hasValue = ({ own, served }: PlottedPoint): boolean => own !== null || served !== null;

/** What is not covered has its verdict whether what is served of it is settled or not. */
const isSettled = ({ verdict }: PlottedPoint): boolean =>
  verdict !== null && !['waiting', 'own'].includes(groupOf(verdict));
