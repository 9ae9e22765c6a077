import { printableLine } from '../../core/text/printable.ts';

/** One line on a terminal that is drawn over; does nothing without one. */
export interface ProgressBar {
  /** @param share 0 to 1, or null where the end is not known */
  draw(label: string, share: number | null, detail: string): void;
  clear(): void;
}

const width = 24;
const everyMs = 100;

/** @param stream a terminal; undefined draws nothing */
export function createProgressBar(stream: NodeJS.WriteStream | undefined): ProgressBar {
  let drawn = false;
  let last = 0;
  return {
    draw(label, share, detail) {
      const now = performance.now();
      if (!stream || now - last < everyMs) return;
      last = now;
      const full = Math.round((share ?? 0) * width);
      const bar = share === null ? '' : ` [${'#'.repeat(full)}${'.'.repeat(width - full)}] ${Math.floor(share * 100)}%`;
      const line = printableLine(`${label}${bar} ${detail}`).slice(0, (stream.columns ?? 80) - 1);
      stream.write(`\r\u001b[K${line}`);
      drawn = true;
    },
    clear() {
      if (stream && drawn) stream.write('\r\u001b[K');
      drawn = false;
    },
  };
}
