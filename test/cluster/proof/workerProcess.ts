import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger, Stage } from '../../../src/cluster/contract.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { runWorker } from '../../../src/cluster/worker/runWorker.ts';
import { createChain, fetchOf, heightsStream } from '../../run/read/heightsStream.ts';

/*
 * A worker that is there to be killed: it says where it is (`fetch`, `put`, `commit`, `committed`), and waits there for a moment. A zombie sleeps
 * in its commits with its event loop, longer than its lease, and renews nothing meanwhile.
 */
const [url = '', uri = '', scratch = '', head = '', isZombie] = process.argv.slice(2);
const leaseMs = 800;
const at = async (place: string) => {
  process.stdout.write(`${place}\n`);
  await sleep(5);
};
createInterface(process.stdin).on('close', () => process.exit(0));

const control = await openControl(url, { connections: 4 });
const real = { ledger: await openLedger(control), stage: await openStage({ uri }) };
const ledger: Ledger = {
  ...real.ledger,
  async commit(lease, commit) {
    await at('commit');
    if (isZombie && lease.range) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leaseMs * 2);
    const said = await real.ledger.commit(lease, commit);
    await at(said === 'ok' ? 'committed' : 'fenced');
    return said;
  },
};
const stage: Stage = {
  ...real.stage,
  async write(...file) {
    await at('put');
    return real.stage.write(...file);
  },
};
const fetch = fetchOf(createChain(Number(head)));
await runWorker({
  ledger,
  stage,
  planned: [{ pipeline: 'proof', stream: heightsStream, parameters: {} }],
  network: { networkId: 12345, network: 'local', hrp: 'local', chains: [] },
  fetch: {
    node: async (request) => {
      await at('fetch');
      return fetch(request);
    },
  },
  scratch,
  owner: `process ${process.pid}`,
  signal: new AbortController().signal,
  atOnce: 2,
  stretches: 8,
  timing: { lease: leaseMs, look: 500, idle: 50, retry: 100 },
});
