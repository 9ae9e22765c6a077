import { RawNumber } from './jsonText.ts';

export type Row = Record<string, unknown>;

/** Changes, in place, every object in a value, the innermost first. */
export function everywhere(value: unknown, change: (row: Row) => void): void {
  if (typeof value !== 'object' || value === null || value instanceof RawNumber) return;
  for (const member of Object.values(value)) everywhere(member, change);
  if (!Array.isArray(value)) change(value as Row);
}
