import { setTimeout as sleep } from 'node:timers/promises';
import { FirnError } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import type { Ledger } from '../contract.ts';
import { applyPending } from '../engine/applyPending.ts';
import { filledTables } from '../engine/lakeTable.ts';
import type { AppliedLake } from './queryLake.ts';

/** A commit of the engine costs about a second whatever is in it: a table waits for so many bytes, or so long, in milliseconds. */
const due = { bytes: 128 * 1024 * 1024, ms: 30_000 };
const lookEveryMs = 10_000;

interface Applying {
  readonly lake: AppliedLake;
  readonly ledger: Ledger;
  /** Raised: the commit under way is the last one. */
  readonly signal: AbortSignal;
  readonly log?: Log | undefined;
  /** Called for each table whose files are left to others. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** Called with the number of new rows by table. */
  readonly applied?: ((inserted: ReadonlyMap<string, number>) => void) | undefined;
}

/** Applies what waits and nobody else is applying. @returns whether anything was waiting, or still is */
export async function applyNow({ lake, ledger, warn, applied }: Applying, when?: typeof due): Promise<boolean> {
  const inserted = await applyPending({ ...lake, ledger, ...(when && { due: when }), warn });
  applied?.(inserted);
  if (inserted.size > 0) return true;
  const waiting = await ledger.pendingTables(when);
  return filledTables(lake.tables).some(({ name }) => waiting.includes(name));
}

/**
 * Applies staged batches every 30 to 40 seconds, or as soon as a table has 128 MB of them, until the signal is raised. What keeps engine or
 * ledger from answering is said once, as long as it is the same, and tried again: nothing is lost meanwhile.
 */
export async function applyOnSchedule(applying: Applying): Promise<void> {
  const { signal, log } = applying;
  let told: string | undefined;
  while (!signal.aborted) {
    try {
      // Of what another process holds just now nothing is known.
      if (!(await applyNow(applying, due))) told = undefined;
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      // Each query has a name of its own.
      const said = error.message.replaceAll(String(error.context['query']), '');
      if (said !== told) log?.warn({ code: error.code }, `Staged batches wait: ${error.message}`);
      told = said;
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
  }
}
