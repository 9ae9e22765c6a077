import type { RunOptions } from '../run/phases/runOptions.ts';
import type { Console } from './console.ts';
import { partitionLine } from './partitionLine.ts';

/** Draws the reading of partitions as one line: how many are done, and how far the slowest ones are. */
export function syncProgress(console: Console): NonNullable<RunOptions['listener']> {
  const open = new Map<string, number | null>();
  const told = new Set<string>();
  let started = 0;
  let done = 0;
  let rows = 0;
  const draw = (label: string) => {
    const known = [...open.values()].filter((share): share is number => share !== null);
    const share = known.length > 0 ? Math.min(...known) : null;
    console.bar.draw(`sync ${label}`, share, `${done}/${started} partitions, ${rows} rows`);
  };
  return {
    waiting(sentence) {
      console.note(sentence);
    },
    phase(phase) {
      if (phase !== 'sync') console.bar.draw(phase, null, '...');
    },
    started(stream, partition) {
      started++;
      open.set(`${stream} ${partition}`, null);
      draw(stream);
    },
    progress(stream, partition, at, total) {
      open.set(`${stream} ${partition}`, total ? at / total : null);
      draw(stream);
    },
    finished(result) {
      done++;
      rows += result.rows;
      open.delete(`${result.stream} ${result.partition}`);
      draw(result.stream);
      const { stream, partition, outcome, message = '' } = result;
      // What is true of others too the summary says with all of them.
      if (outcome === 'failed' && !told.has(message)) {
        told.add(message);
        console.note(partitionLine(new Map([[stream, [partition]]]), message));
      }
    },
  };
}
