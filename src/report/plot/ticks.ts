/** Round values from `low` to `high` at distances of 1, 2 or 5 times a power of ten; at most `most` steps. */
export function ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  // Steps of less than that have too few digits for powers of ten.
  if (!(rough > 1e-300)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}
