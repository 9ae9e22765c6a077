import type { Point } from '../reportData.ts';
import { groupOf, verdictGroups } from '../verdictFacts.ts';

/**
 * At most about `most` points of a series, in order: the first, the last, the extremes of evenly cut stretches, and of every
 * stretch the point that agrees least. Nothing that stands out is lost, and nothing is averaged.
 */
export function thinPoints(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  const stretches = Math.max(1, Math.floor(most / 4));
  const kept = new Set<number>([0, points.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * points.length) / stretches);
    const until = Math.floor(((stretch + 1) * points.length) / stretches);
    let [lowest, highest, odd] = [-1, -1, -1];
    for (let index = from; index < until; index++) {
      const value = points[index]?.own ?? points[index]?.served ?? null;
      if (oddness(points[index]) < oddness(points[odd])) odd = index;
      if (value === null) continue;
      if (lowest === -1 || value < valueAt(points, lowest)) lowest = index;
      if (highest === -1 || value > valueAt(points, highest)) highest = index;
    }
    for (const index of [lowest, highest, odd]) if (index !== -1) kept.add(index);
  }
  return [...kept].sort((a, b) => a - b).flatMap((index) => points[index] ?? []);
}

const valueAt = (points: readonly Point[], index: number): number => points[index]?.own ?? points[index]?.served ?? 0;

/** Place of a point among what does not agree, worst first; what agrees or may still change comes after all. */
const oddness = (point: Point | undefined): number => {
  const group = point?.verdict == null ? 'agrees' : groupOf(point.verdict);
  return ['waiting', 'agrees'].includes(group) ? verdictGroups.length : verdictGroups.indexOf(group);
};
