import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { readConfig } from '../../src/cli/config.ts';
import { demoConfig } from '../../src/cli/demoConfig.ts';
import { startDevnet } from '../../src/devnet/startDevnet.ts';
import { phases, type RunReport, runPhases } from '../../src/run/runPhases.ts';

/** The whole embedded ledger from empty to published, then a second run that finds nothing new. */
export async function benchWholeLedger(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'));
  const devnet = await startDevnet();
  const log = { debug() {}, warn() {} };
  const run = () =>
    runPhases({
      settings: readConfig({ config: join(folder, 'firn.yaml') }),
      catalogue,
      phases,
      signal: new AbortController().signal,
      log,
    });
  try {
    await writeFile(join(folder, 'firn.yaml'), demoConfig(devnet));
    const first = await run();
    const parts = Object.entries(first.secondsByPhase).map(([phase, seconds]) => `${phase} ${seconds.toFixed(1)} s`);
    print(
      `whole ledger from empty to published: ${first.seconds.toFixed(1)} s (${parts.join(', ')}), ${rowsOf(first)} rows, exit code ${first.exitCode}`,
    );
    const again = await run();
    const listed = again.partitions.filter(({ stream }) => !isSnapshotOrLookup(stream));
    const most = Math.max(...listed.map(({ requests }) => requests));
    print(
      `a sync with nothing new: ${most} request a partition at most (${listed.length} partitions), snapshots and lookups aside`,
    );
  } finally {
    await devnet.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const rowsOf = ({ partitions }: RunReport) => partitions.reduce((sum, { rows }) => sum + rows, 0);
const isSnapshotOrLookup = (id: string) =>
  ['snapshot', 'lookup'].includes(catalogue.find((stream) => stream.id === id)?.way ?? '');
