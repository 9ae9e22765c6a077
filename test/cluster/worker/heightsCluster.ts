import type { WorkerOptions } from '../../../src/cluster/worker/workerOptions.ts';
import { createChain, fetchOf, heightsStream } from '../../run/read/heightsStream.ts';
import { streamCluster } from './streamCluster.ts';

/** A cluster that reads a made-up chain of thirty heights, until the test ends. */
export async function heightsCluster() {
  const { engine, ...cluster } = await streamCluster(heightsStream);
  const chain = createChain(29);
  const run = (more: Partial<WorkerOptions> = {}) =>
    cluster.run({ fetch: { node: fetchOf(chain) }, stretches: 3, ...more });
  const heights = async () =>
    (await engine.query<{ height: bigint }>(`SELECT height FROM ${heightsStream.table.name} ORDER BY height`)).map(
      (row) => Number(row.height),
    );
  const entries = () =>
    cluster.control.query('SELECT times_seen, replayed_at IS NOT NULL AS is_read FROM firn.quarantine');
  return { ...cluster, engine, run, chain, heights, entries };
}
