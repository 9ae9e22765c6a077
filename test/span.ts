/** Whole numbers from one on, up to another that is not among them. */
export const span = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
