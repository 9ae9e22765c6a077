/** @module-tag long */
import { type Devnet, startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { proveEvidence } from '../../src/run/evidence/proveEvidence.ts';
import { runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { reconcile } from '../../src/transform/reconcile/reconcile.ts';
import { currentRows, syncOnce } from '../pipelines/standardHarness.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';

vi.setConfig({ testTimeout: 240_000 });

// A node of today, read at its tip while it grows: its C-Chain executes blocks after it accepted them.

const from = 640;
/** Each block settles those that are an hour older: several wait for that, of which the newest may not even be executed. */
const helicon = { from, settleAfter: 3600 };
const blocks = { 'node/evm_blocks': { blockchainIds: ['C'], from: 0 } };
const index = { 'node/containers': { indexes: ['C/block'] } };
const served = { 'metrics/chain_metrics': { chainIds: ['43112'], timeIntervals: ['hour', 'day'] } };

async function network() {
  const devnet = await startDevnet({ helicon });
  onTestFinished(() => devnet.close());
  const folder = await temporary();
  await placeState(folder, undefined, { isBuilt: true });
  const open = () => openWarehouse({ folder, tables: tablesOf(catalogue) });
  const within = async <T>(work: (warehouse: Awaited<ReturnType<typeof open>>) => Promise<T>) => {
    const warehouse = await open();
    try {
      return await work(warehouse);
    } finally {
      warehouse.close();
    }
  };
  return { devnet, folder, within };
}

/** The last block that the node has, and how many of the newest wait for execution then. */
function tip(devnet: Devnet, last: number, unexecuted: number) {
  devnet.moveHead(devnet.ledger.c.blocks[last]?.visibleAt ?? 0);
  devnet.configure({ unexecuted });
}

const steps = [
  [from - 1, 0],
  [from + 1, 1],
  [from + 12, 2],
  [from + 40, 9],
  [from + 41, 0],
] as const;

test.each([
  ['over JSON-RPC', blocks],
  ['over JSON-RPC and the container index', { ...index, ...blocks }],
])('%s nothing is lost or doubled, and nothing fails while blocks wait', async (_, streams) => {
  const { devnet, folder, within } = await network();
  const recorded = devnet.ledger.c.blocks;
  for (const [last, unexecuted] of steps) {
    tip(devnet, last, unexecuted);
    const results = await syncOnce(folder, devnet, { ...streams, ...served });
    expect(results.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
    expect(results.flatMap(({ notes }) => notes ?? [])).toEqual([]);
    // What is settled was executed; of the rest, what waits comes with a later run. Before the first of them is settled, it is not known yet that
    // the newest block is one that all have accepted.
    const settled = recorded[last]?.settledHeight ?? last;
    const executed = settled < from ? settled : Math.max(settled, last - unexecuted);
    await within(async (warehouse) => {
      expect(
        await warehouse.query(`SELECT max("number") AS newest, count(*) AS blocks FROM raw.node_evm_blocks`),
      ).toEqual([{ newest: BigInt(executed), blocks: BigInt(executed + 1) }]);
      await buildModels(warehouse);
      expect((await runAudits(warehouse)).filter(({ failedRows, problem }) => failedRows > 0 || problem)).toEqual([]);
      const { differs } = await reconcile(warehouse);
      expect(differs).toBe(0);
      // Where the index has what waits, only what counts it waits too: where nothing waits, each bucket has its number.
      if (executed === last)
        expect(await warehouse.query(`SELECT metric, bucket FROM mart.metric WHERE NOT covered`)).toEqual([]);
      const { broken, chains } = await proveEvidence({ warehouse, chain: 'C', from: from - 5, to: last });
      expect(broken).toEqual([]);
      // Proven as soon as a header that is held settles them.
      const known = recorded[executed]?.settledHeight ?? executed;
      expect(chains[0]?.links.receipts?.proven).toBeGreaterThanOrEqual(known - (from - 5) + 1);
    });
  }
  const atOnce = await network();
  tip(atOnce.devnet, from + 41, 0);
  await syncOnce(atOnce.folder, atOnce.devnet, streams);
  const tables = ['blocks', 'transactions', 'receipts', 'logs', 'traces', 'trace_status'].map(
    (name) => `raw.node_evm_${name}`,
  );
  const late = [...tables, 'raw.node_containers_c_blocks', 'raw.node_containers_c_transactions'];
  const known = (rows: Awaited<ReturnType<typeof currentRows>>) =>
    Object.fromEntries(
      Object.entries(rows).map(([table, own]) => [
        table,
        // Before Helicon the node knew the total difficulty of its blocks.
        own.map((row) => row.replace(/"total_difficulty":"?\d+"?/, '')).sort(),
      ]),
    );
  expect(known(await currentRows(folder, ...late))).toEqual(known(await currentRows(atOnce.folder, ...late)));
});

test('what is executed while blocks are read is read, too: an open hour has its numbers in a run that the index has more for', async () => {
  const { devnet, folder, within } = await network();
  tip(devnet, from + 40, 0);
  await syncOnce(folder, devnet, { ...index, ...blocks });
  tip(devnet, from + 60, 3);
  await syncOnce(
    folder,
    devnet,
    { ...index, ...blocks },
    {
      before: (_, request) => {
        if (request.kind === 'rpcMany' && request.path.endsWith('/rpc')) devnet.configure({ unexecuted: 0 });
      },
    },
  );
  await within(async (warehouse) => {
    await buildModels(warehouse);
    expect(await warehouse.query('SELECT metric, bucket FROM mart.metric WHERE NOT covered')).toEqual([]);
  });
});

test('metrics are of what was used and paid, not of what the headers promise', async () => {
  const { devnet, folder, within } = await network();
  tip(devnet, from + 400, 0);
  await syncOnce(folder, devnet, { ...index, ...blocks, ...served });
  await within(async (warehouse) => {
    await buildModels(warehouse);
    const { differs } = await reconcile(warehouse);
    expect(differs).toBe(0);
    const verdicts = await warehouse.query<{ metric: string; verdict: string }>(
      `SELECT DISTINCT metric, verdict FROM mart.reconciliation
       WHERE bucket >= (SELECT min(block_time) FROM mart.fct_block WHERE settled_later) AND verdict NOT IN ('equal', 'equal_as_double', 'served_provisional')`,
    );
    expect(verdicts).toEqual([]);
    const [promised] = await warehouse.query(
      `SELECT sum(f.gas_used) < sum(b.gas_used) AS gas, count(*) > 300 AS many,
         (SELECT bool_and(r.effective_gas_price < t.gas_price) FROM raw.node_evm_transactions AS t JOIN raw.node_evm_receipts AS r USING (chain_id, "number", tx_index)
          WHERE t."number" >= ${from} AND t."type" = 2 AND t.gas_price < t.max_fee_per_gas) AS prices
       FROM mart.fct_block AS f JOIN raw.node_evm_blocks AS b USING (chain_id, "number") WHERE f.settled_later`,
    );
    expect(promised).toEqual({ gas: true, many: true, prices: true });
  });
});

test('an index alone: what needs no execution is known at once, gas is not', async () => {
  const { devnet, folder, within } = await network();
  tip(devnet, from + 400, 5);
  await syncOnce(folder, devnet, { ...index, ...served });
  await within(async (warehouse) => {
    await buildModels(warehouse);
    const covered = await warehouse.query<{ metric: string; covered: boolean }>(
      `SELECT metric, bool_and(covered) AS covered FROM mart.metric WHERE bucket >= (SELECT min(block_time) FROM mart.fct_block WHERE settled_later) GROUP BY metric`,
    );
    const known = covered.filter((row) => row.covered).map(({ metric }) => metric);
    expect(known.sort()).toEqual(['avgTps', 'cumulativeTxCount', 'maxTps', 'txCount']);
  });
});
