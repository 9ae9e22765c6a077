/** @module-tag long */
import { Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLedger, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from './cli/cliHarness.ts';

const root = resolve(import.meta.dirname, '..');

/** Files of `src/run` of which a function runs while work is done, as V8 counts it. */
async function passed(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0)),
      )
      .map(({ url }) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url))
      .filter((file) => file.startsWith('src/run/'))
      .sort();
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

// Each walk is a command, and passes the files of `src/run` that have something to do in it. A change that makes one longer must
// say why here; one that makes it shorter lowers its number.
test('what goes through a run passes few files', async () => {
  const { c } = await readLedger();
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const chainIds = [String(c.evmChainId)];
  const streams = {
    'data/latest_transactions': { chainIds, from: '2020-01-01' },
    'node/containers': { indexes: ['C/block'] },
    'metrics/chain_metrics': { chainIds, metrics: ['txCount'], timeIntervals: ['day'], from: '2020-01-01' },
  };
  const configuration = { sources: sourcesOf(devnet), pipelines: { main: { streams } } };
  const { firn } = await project(configuration, { isBuilt: true });
  const done = async (...args: string[]) => expect((await firn(...args)).code).toBe(0);
  const walk = async (name: string, most: number, work: () => Promise<unknown>) => {
    const files = await passed(work);
    expect(files.length, `${name}: ${files.join(' ')}`).toBeGreaterThan(0);
    expect(files.length, `${name}: ${files.join(' ')}`).toBeLessThanOrEqual(most);
  };
  // The wait for another run is that of a cluster, too (`whenFree`): one more than before, here and below.
  // How a source is asked is apart from what is opened for it (`createFetch`): the same.
  await walk('a configuration to a plan', 9, () => done('plan', '--select', 'node/*', 'data/*'));
  // What is not offered is judged by all that was asked of a source (`failWhereNothingIs`): one more than before, here and below.
  // And what a list tells of its chain is held against what is held (`sameChain`).
  // Where the configuration wants it to begin is held against where it was begun (`earlierBegin`).
  // The record of a run is apart from how far it is (`openRunRecord`): one more than before, here and below.
  await walk('a page of latest transactions', 20, () => done('sync', '--select', 'data/latest_transactions'));
  // Ranges take turns with what asks for their rows (`loopTurn`).
  // A look at what a source holds is a probe's and a worker's, too (`lookAtRange`), and positions are read by backfills as well (`readPositions`).
  await walk('a container', 24, () => done('sync', '--select', 'node/containers'));
  await done('sync', '--select', 'metrics/*');
  await walk('a metric to its verdict', 9, async () => {
    await done('build');
    await done('reconcile');
  });
});
