import { openEngine } from '../cluster/engine/openEngine.ts';
import { unresolvedOf } from '../cluster/lake/unresolvedOf.ts';
import { openCluster } from '../cluster/openCluster.ts';
import { type OpenWorkerOptions, openWorker } from '../cluster/worker/openWorker.ts';
import { exitCode, worstExit } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import { interruption } from '../extract/interruption.ts';
import type { Configured } from './configured.ts';
import { workerDocument } from './json/clusterDocuments.ts';
import type { CliContext } from './registerCommand.ts';
import { partitionLine } from './runLine.ts';

type Options = Pick<OpenWorkerOptions, 'selection' | 'untilIdle' | 'atOnce' | 'readsOnly' | 'backfill'>;

/** Reads as a worker of the configured cluster, and tells what came of it; returns the exit code. */
export async function runClusterWorker(
  { console, signal }: Pick<CliContext, 'console' | 'signal'>,
  { settings, registry }: Configured,
  options: Options,
): Promise<number> {
  const cluster = await openCluster(settings);
  const sums = { parts: 0, rows: 0, childRows: 0, quarantined: 0, applied: 0, failed: 0 };
  const engine = openEngine(settings, cluster.stage, signal);
  const codes: number[] = [];
  const told = new Set<string>();
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
      applied: (inserted) => {
        for (const [table, rows] of inserted) {
          sums.applied += rows;
          console.note(`${table}: ${rows} rows applied`);
        }
      },
      finished: (
        { stream, partition, range },
        { rows, childRows, quarantined, seconds, outcome, code, message, notes = [] },
      ) => {
        sums.parts++;
        sums.rows += rows;
        sums.childRows += childRows;
        sums.quarantined += quarantined;
        // What another worker took over is that worker's to read.
        if (outcome === 'failed' && code !== 'locked') {
          sums.failed++;
          if (code) codes.push(exitCode(new FirnError(code, '')));
        }
        const what = range ? `${range.first}..${range.last}: ` : '';
        const said =
          message ??
          (rows + childRows > 0 ? `${rows} rows and ${childRows} child rows in ${seconds.toFixed(1)} s` : undefined);
        const line = (text: string) => partitionLine(new Map([[stream, [partition]]]), text);
        if (said !== undefined) console.note(line(what + said));
        // Each look finds the same out again.
        for (const note of notes.map(line).filter((text) => !told.has(text))) {
          told.add(note);
          console.note(note);
        }
      },
    });
    // What was accepted comes again with every list.
    isUnresolved = sums.quarantined > 0 && (await unresolvedOf(cluster.control, [])).records > 0;
  } finally {
    await engine.close();
    await cluster.control.close();
  }
  console.data(workerDocument, sums);
  if (signal.aborted) throw interruption(signal);
  return worstExit([...codes, ...(isUnresolved ? [exitCode(new FirnError('quarantined', ''))] : [])]);
}
