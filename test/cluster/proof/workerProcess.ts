import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, Ledger, Stage } from '../../../src/cluster/contract.ts';
import { applyPending } from '../../../src/cluster/engine/applyPending.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { runWorker } from '../../../src/cluster/worker/runWorker.ts';
import { createChain, fetchOf, heightsStream } from '../../run/read/heightsStream.ts';
import { createFakeEngine } from './fakeEngine.ts';

/*
 * A worker that is there to be killed, or to be stopped for longer than its lease: it says where it is (`fetch`, `put`, `commit`, `committed`,
 * `apply`, `applied`), and waits there for a moment.
 */
const [url = '', stageSettings = '', scratch = '', head = '', lease = ''] = process.argv.slice(2);
const leaseMs = Number(lease);
const at = async (place: string) => {
  process.stdout.write(`${place}\n`);
  await sleep(5);
};
createInterface(process.stdin).on('close', () => process.exit(0));

const control = await openControl(url, { connections: 4 });
const real = { ledger: await openLedger(control), stage: await openStage(JSON.parse(stageSettings)) };
const ledger: Ledger = {
  ...real.ledger,
  async commit(held, commit) {
    await at('commit');
    const said = await real.ledger.commit(held, commit);
    await at(said === 'ok' ? 'committed' : 'fenced');
    return said;
  },
  alone: (name, work) => real.ledger.alone(name, work, leaseMs),
};
const stage: Stage = {
  ...real.stage,
  async write(...file) {
    await at('put');
    return real.stage.write(...file);
  },
};
const fake = await createFakeEngine(control, real.stage);
const engine: Engine = {
  ...fake,
  async apply(...batches) {
    await at('apply');
    const applied = await fake.apply(...batches);
    await at('applied');
    return applied;
  },
};
const { name, columns } = heightsStream.table;
const applying = async () => {
  for (;;) {
    // What an outage keeps from being applied is applied later.
    await applyPending({ engine, ledger, tables: [{ name, columns }] }).catch(() => {});
    await sleep(50);
  }
};
void applying();
const fetch = fetchOf(createChain(Number(head)));
await runWorker({
  ledger,
  stage,
  lake: { engine, tables: [] },
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
