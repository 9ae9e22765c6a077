import { openEngine } from '../../cluster/engine/openEngine.ts';
import { unresolvedOf } from '../../cluster/lake/unresolvedOf.ts';
import { openCluster } from '../../cluster/openCluster.ts';
import { type OpenWorkerOptions, openWorker } from '../../cluster/worker/openWorker.ts';
import { exitCode, exitOf, worstExit } from '../../core/exitCode.ts';
import { interruption } from '../../extract/interruption.ts';
import type { Configured } from '../config/configured.ts';
import { workerDocument } from '../json/clusterDocuments.ts';
import type { CliContext } from '../registerCommand.ts';
import { outliveOutput } from '../terminal/outputErrors.ts';
import { partitionLine } from '../text/runLine.ts';

type Options = Pick<OpenWorkerOptions, 'selection' | 'untilIdle' | 'atOnce' | 'readsOnly' | 'backfill'>;

/** Reads as a worker of the configured cluster, and tells what came of it; returns the exit code. */
export async function runClusterWorker(
  { console, signal }: Pick<CliContext, 'console' | 'signal'>,
  { settings, registry }: Configured,
  options: Options,
): Promise<number> {
  if (!options.untilIdle) outliveOutput();
  const cluster = await openCluster(settings);
  const engine = openEngine(settings, cluster.stage, signal);
  const teller = new WorkerTeller(console);
  let isUnresolved = false;
  try {
    await openWorker({
      ...options,
      settings,
      catalogue: registry.catalogue,
      cluster,
      signal,
      log: console.log,
      engine,
      applied: (inserted) => teller.applied(inserted),
      finished: (part, result) => teller.finished(part, result),
    });
    // What was accepted comes again with every list.
    isUnresolved = teller.sums.quarantined > 0 && (await unresolvedOf(cluster.control, [])).records > 0;
  } finally {
    await engine.close();
    await cluster.control.close();
  }
  console.data(workerDocument, teller.sums);
  if (!signal.aborted) return teller.exitCode(isUnresolved);
  // Its document is printed: an error would be a second one.
  const stopped = interruption(signal);
  console.note(stopped.message);
  return exitCode(stopped);
}

type Finished = Parameters<NonNullable<OpenWorkerOptions['finished']>>;

/** Tells what a worker does, and adds it up. */
class WorkerTeller {
  readonly sums = { parts: 0, rows: 0, childRows: 0, quarantined: 0, applied: 0, failed: 0 };
  readonly #console: CliContext['console'];
  readonly #codes: number[] = [];
  readonly #told = new Set<string>();

  constructor(console: CliContext['console']) {
    this.#console = console;
  }

  applied(inserted: ReadonlyMap<string, number>): void {
    for (const [table, rows] of inserted) {
      this.sums.applied += rows;
      this.#console.note(`${table}: ${rows} rows applied`);
    }
  }

  finished(part: Finished[0], result: Finished[1]): void {
    const { range } = part;
    const { rows, childRows, seconds, message, notes = [] } = result;
    this.#add(result);
    const what = range ? `${range.first}..${range.last}: ` : '';
    const said =
      message ??
      (rows + childRows > 0 ? `${rows} rows and ${childRows} child rows in ${seconds.toFixed(1)} s` : undefined);
    const line = (text: string) => partitionLine(part, text);
    if (said !== undefined) this.#console.note(line(what + said));
    // Each look finds the same out again.
    for (const note of notes.map(line).filter((text) => !this.#told.has(text))) {
      this.#told.add(note);
      this.#console.note(note);
    }
  }

  exitCode(isUnresolved: boolean): number {
    return worstExit([...this.#codes, ...(isUnresolved ? [exitOf('quarantined')] : [])]);
  }

  #add({ rows, childRows, quarantined, outcome, code }: Finished[1]): void {
    this.sums.parts++;
    this.sums.rows += rows;
    this.sums.childRows += childRows;
    this.sums.quarantined += quarantined;
    // What another worker took over is that worker's to read.
    if (outcome !== 'failed' || code === 'locked') return;
    this.sums.failed++;
    if (code) this.#codes.push(exitOf(code));
  }
}
