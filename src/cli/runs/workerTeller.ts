import type { OpenWorkerOptions } from '../../cluster/worker/openWorker.ts';
import { exitOf, worstExit } from '../../core/exitCode.ts';
import type { CliContext } from '../registerCommand.ts';
import { partitionLine } from '../text/runLine.ts';

type Finished = Parameters<NonNullable<OpenWorkerOptions['finished']>>;

/** Tells what a worker does, and adds it up. */
export class WorkerTeller {
  readonly sums = { parts: 0, rows: 0, childRows: 0, quarantined: 0, applied: 0, failed: 0 };
  readonly #console: Pick<CliContext['console'], 'note'>;
  readonly #codes = new Set<number>();
  readonly #told = new Set<string>();
  /** How each part that could not be read failed last. */
  readonly #failing = new Map<string, string>();

  constructor(console: Pick<CliContext['console'], 'note'>) {
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
    const { rows, childRows, seconds, notes = [] } = result;
    this.#add(result);
    const what = range ? `${range.first}..${range.last}: ` : '';
    const line = (text: string) => partitionLine(part, text);
    const read =
      rows + childRows > 0 ? `${rows} rows and ${childRows} child rows in ${seconds.toFixed(1)} s` : undefined;
    const said = this.#toSay(String(part.part ?? line('')), result, read);
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

  /** What is said of a part. It is tried again every half a minute, for as long as an outage lasts: what it fails with now firn status tells. */
  #toSay(part: string, { message, outcome, code }: Finished[1], read: string | undefined): string | undefined {
    const before = this.#failing.get(part);
    if (message === undefined) {
      this.#failing.delete(part);
      return read ?? (before && 'could be read again');
    }
    const now = `${outcome} ${code}`;
    this.#failing.set(part, now);
    return now === before ? undefined : message;
  }

  #add({ rows, childRows, quarantined, outcome, code }: Finished[1]): void {
    this.sums.parts++;
    this.sums.rows += rows;
    this.sums.childRows += childRows;
    this.sums.quarantined += quarantined;
    // What another worker took over is that worker's to read.
    if (outcome !== 'failed' || code === 'locked') return;
    this.sums.failed++;
    if (code) this.#codes.add(exitOf(code));
  }
}
