import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultName } from './faults.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  /** Hours from one run to the next. */
  readonly everyHours: number;
  /** Share of the seeds that build and publish; 0.02 where it is left out, for they cost ten times as much. */
  readonly publishing?: number | undefined;
  /** Ids of streams that every seed reads, beside those that it draws. */
  readonly streams?: readonly string[] | undefined;
  /** Whether the data service lists some rows up to a day later than it dates them, and streams that can look back do. */
  readonly isLate?: boolean;
  /** Whether it is of the recorded network, and not of a made-up one. */
  readonly isLedger?: boolean;
  /** Whether nothing goes wrong in it, and what is configured changes from run to run. */
  readonly isSettings?: boolean;
  /** Whether its C-Chain executes blocks after it accepted them. */
  readonly isHelicon?: boolean;
  /** Whether it ends as soon as all is there, without a run that is to bring nothing. */
  readonly isBrief?: boolean;
  /** Told what happens, for a closer look at a seed. */
  readonly tell?: (line: string) => void;
}

export interface Simulated {
  readonly hits: ReadonlyMap<FaultName, number>;
  readonly runs: number;
  readonly requests: number;
  readonly published: number;
}

/** Where there is a disk in memory nothing waits for one that turns. */
const memory = '/dev/shm';

/** Gives a folder for as long as it is used, on a disk that does not turn where there is one. */
export async function inMemory<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'firn-sim-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An error that says how to come here again. */
export function wrongSeed(options: SimulationOptions, what: string, cause?: unknown): Error {
  const { seed, days, everyHours, publishing, streams, isLate, isLedger, isSettings, isHelicon } = options;
  const parts = [
    isLedger ? '--ledger' : '',
    isSettings ? '--settings' : '',
    isLate ? '--late' : '',
    isHelicon ? '--helicon' : '',
    `--seed ${seed} --days ${days} --every ${everyHours}`,
    publishing === undefined ? '' : `--publishing ${publishing}`,
    streams === undefined ? '' : `--streams ${streams.join(',')}`,
  ];
  return new Error(`${what}\nAgain: npm run sim -- ${parts.filter(Boolean).join(' ')}`, { cause });
}
