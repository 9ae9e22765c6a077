import type { Note } from '../contract.ts';
import { storable } from './storable.ts';

/** A row as PostgreSQL takes it in JSON. */
export const plain = (row: Record<string, unknown>): Note =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)])) as Note;

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? storable(value) : value;
}
