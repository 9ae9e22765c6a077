import { partitionName } from '../../core/partitionName.ts';
import { plural } from '../../report/texts/numberText.ts';
import { spanText } from '../../report/texts/timeText.ts';
import type { PhaseOptions } from '../../run/phases/phaseOptions.ts';
import type { Console } from '../terminal/console.ts';
import { partitionLine } from '../text/runLine.ts';

/** Failures that are told while others are read. */
const mostTold = 10;

/** How far a partition is: null as long as its source has not said how much there is. */
interface Reading {
  readonly startedAt: number;
  share: number | null;
}

/**
 * Draws the reading of partitions as one line: how many of all that are planned are done, how far they are together, and, once none waits for
 * its turn, how long the slowest still takes at its pace. It never goes back: neither what is planned nor what was read becomes less.
 */
export function syncProgress(console: Console, now = () => performance.now()): NonNullable<PhaseOptions['listener']> {
  const open = new Map<string, Reading>();
  const told = new Set<string>();
  let total = 0;
  let done = 0;
  let rows = 0;
  const draw = (label: string) => {
    const reading = [...open.values()];
    const shares = reading.map(({ share }) => share ?? 0);
    const share = total === 0 ? null : (done + shares.reduce((sum, one) => sum + one, 0)) / total;
    const left = reading.map(({ startedAt, share: own }) => (own ? ((now() - startedAt) / own) * (1 - own) : null));
    // A partition that waits for its turn does not tell how long it will take.
    const isKnown = done + open.size === total && left.length > 0 && !left.includes(null);
    const eta = isKnown ? `, about ${spanText(Math.max(...left.map(Number)))} still` : '';
    console.bar.draw(`sync ${label}`, share, `${done} of ${plural(total, 'partition')}, ${plural(rows, 'row')}${eta}`);
  };
  return {
    waiting: console.note,
    phase(phase) {
      if (phase !== 'sync') console.bar.draw(phase, null, '...');
    },
    planned() {
      total++;
    },
    started(stream, partition) {
      open.set(partitionName(stream, partition), { startedAt: now(), share: null });
      draw(stream);
    },
    progress(stream, partition, at, of) {
      const reading = open.get(partitionName(stream, partition));
      // A head that moves on must not make the progress go back.
      if (reading && of) reading.share = Math.max(reading.share ?? 0, Math.min(1, at / of));
      draw(stream);
    },
    finished(result) {
      done++;
      rows += result.rows;
      open.delete(partitionName(result.stream, result.partition));
      draw(result.stream);
      const { outcome, message = '' } = result;
      // What several partitions share is in the summary, once, and so is how many more there are.
      if (outcome === 'failed' && told.size < mostTold && !told.has(message)) {
        told.add(message);
        console.note(partitionLine(result, message));
      }
    },
  };
}
