import type { Item } from './listSource.ts';

/** Items with the cursors from 1 up to the newest. */
export const upTo = (newest: number): Item[] =>
  Array.from({ length: newest }, (_, i) => ({ id: `${i + 1}`, cursor: i + 1 }));
