import type { Position, Stream } from '../../core/stream.ts';
import { timestampOf } from '../../transform/bucketTime.ts';

/** A position for people: `newest 2026-03-01 00:00:00`, `next 3406, since 2026-01-20 00:00:00`. Times are UTC. */
export function positionText({ table }: Pick<Stream, 'table'>, position: Position | null): string {
  if (position === null) return 'the beginning';
  const isByTime = table.columns.find(({ name }) => name === table.range)?.type === 'timestamp';
  const isTime = (name: string) => name === 'since' || (isByTime && (name === 'newest' || name === 'cursor'));
  return Object.entries(position)
    .map(([name, value]) => {
      if (name === 'reading') return 'an unfinished read';
      if (name === 'readAt') return `read ${valueText(Number(value) / 1000, true)}`;
      return `${name} ${valueText(value, isTime(name))}`;
    })
    .join(', ');
}

/** Longest time that is written as one: year 9999, in Unix seconds. */
const latest = 253_402_300_799;

function valueText(value: unknown, isTime: boolean): string {
  if (typeof value === 'number' && isTime && value >= 0 && value <= latest) return timestampOf(value);
  if (Array.isArray(value)) return String(value.length);
  if (value === null || typeof value !== 'object') return String(value);
  // What bounds a history is a time, or a height.
  if ('time' in value) return valueText(value.time, true);
  return 'height' in value ? `height ${value.height}` : '...';
}
