import { expect, test } from 'vitest';
import { transactionExports as service } from '../../pipelines/data-api/operations.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import type { ExportContext } from '../../src/run/exports/exportContext.ts';
import { findExport } from '../../src/run/exports/exportState.ts';
import { followExport } from '../../src/run/exports/followExport.ts';
import { startExport } from '../../src/run/exports/startExport.ts';
import { runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { json } from '../extract/localServer.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';
import { verifyWhole } from '../publish/verify/verifyWhole.ts';
import { attacked } from './attacked.ts';

/** Ends a statement, a string, a path, and is no UTF-16. */
const odd = `a\0b'"; DROP TABLE firn.load; --/../\ud800\u202e\n`;
/** What is stored of it: half a surrogate pair has no UTF-8. */
const stored = odd.toWellFormed();
const text = JSON.stringify(odd);

const answers: readonly (readonly [asked: RegExp, answer: string])[] = [
  [
    /\/v1\/chains\b/,
    `{"chains":[{"chainId":${text},"status":"OK","chainName":${text},"description":${text},"platformChainId":${text},
      "subnetId":${text},"vmId":${text},"vmName":"EVM","rpcUrl":${text},"isTestnet":false,
      "networkToken":{"name":${text},"symbol":${text},"decimals":18}}]}`,
  ],
  [
    /utxos.*pageToken/,
    `{"utxos":[{"utxoId":"second","txHash":"x","addresses":[${text}],"amount":"1","assetId":"x","blockNumber":"2",
      "blockTimestamp":1,"createdOnChainId":"x","consumedOnChainId":"x","outputIndex":"0","outputType":"T","threshold":1}]}`,
  ],
  [
    /utxos/,
    `{"utxos":[{"utxoId":${text},"txHash":${text},"addresses":[${text}],"amount":"1","assetId":${text},"blockNumber":"1",
      "blockTimestamp":1,"createdOnChainId":${text},"consumedOnChainId":${text},"outputIndex":"0","outputType":"T",
      "threshold":1}],"nextPageToken":${text}}`,
  ],
  [
    /getBlockchains/,
    `{"jsonrpc":"2.0","id":1,"result":{"blockchains":[{"id":${text},"name":${text},"subnetID":${text},"vmID":${text}}]}}`,
  ],
];

test('keys, names, tokens and chains of any text are data: read, read again, built, audited, published and verified', {
  tags: 'long',
}, async () => {
  const { warehouse, sync } = await attacked((response, _, { url, body }) => {
    const [, answer = '{}'] = answers.find(([asked]) => asked.test(`${url} ${body}`)) ?? [];
    json(response, 200, answer);
  });
  const streams = {
    'data/chains': {},
    'data/utxos': { blockchainIds: ['p-chain'], addresses: ['fuji1utacgpu8arf7sq0vdfh0zk0pukgfk8nyfxsh2k'] },
    'node/platform_blockchains': {},
  };
  const done = (rows: number[]) => rows.map((count) => ({ outcome: 'done', quarantined: 0, rows: count }));
  const counts = (results: readonly { stream: string }[]) =>
    [...results].sort((a, b) => (a.stream < b.stream ? -1 : 1));
  expect(counts(await sync(streams))).toMatchObject(done([1, 2, 1]));
  expect(counts(await sync(streams))).toMatchObject(done([0, 0, 0]));
  await warehouse.run("INSERT INTO firn.chain VALUES ($1, $1, $1, $1, 'evm', $1, now()::TIMESTAMP)", [odd]);
  await buildModels(warehouse);
  expect((await runAudits(warehouse)).filter(({ failedRows, problem }) => failedRows > 0 || problem !== null)).toEqual(
    [],
  );
  await publish(warehouse, { runId: 'r' });
  expect(await verifyWhole(warehouse.folder)).toMatchObject({ ok: true, failures: [] });
  const reader = await openReader(warehouse.folder);
  try {
    const rows = await reader.query('SELECT chain_id, chain_name FROM raw.data_chains');
    expect(rows).toEqual([{ chain_id: stored, chain_name: stored }]);
    expect(await reader.query('SELECT utxo_id FROM raw.data_utxos ORDER BY block_number')).toEqual([
      { utxo_id: stored },
      { utxo_id: 'second' },
    ]);
    expect(await reader.query('SELECT count(*) AS n FROM mart.dim_chain WHERE chain_id = $1', [odd])).toEqual([
      { n: 1n },
    ]);
  } finally {
    reader.close();
  }
});

test('an operation of any id is followed to its end, and found again', async () => {
  // Half a surrogate pair has no place in a path, and breaks the contract.
  const id = odd.replace('\ud800', '');
  const warehouse: Warehouse = await temporaryWarehouse(tablesOf([service.operations, service.rows]));
  const asked: string[] = [];
  const context: ExportContext = {
    service,
    network: { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] },
    runId: 'run',
    places: { origin: 'http://127.0.0.1', hosts: [] },
    signal: new AbortController().signal,
    note: () => {},
    async fetch({ kind, path }) {
      asked.push(path);
      const operationStatus = kind === 'post' ? 'RUNNING' : 'COMPLETED';
      return { body: { operationId: id, operationStatus }, fetchedAt: 0, bytes: 0 };
    },
    withState: (work) => work(warehouse),
  };
  const body = { type: 'TRANSACTION_EXPORT_EVM', firstDate: '2026-01-01', lastDate: '2026-01-31', options: {} };
  const { state } = await startExport(context, body, {});
  const done = await followExport(context, state, { waitMs: 60_000 });
  expect(done.parts).toMatchObject([{ operationId: id, outcome: 'done' }]);
  expect(asked.at(-1)).toBe(`/v1/operations/${encodeURIComponent(id)}`);
  expect((await findExport(warehouse, service, id)).id).toBe(state.id);
  expect(await warehouse.query('SELECT operation_id FROM raw.data_operations')).toEqual([{ operation_id: id }]);
});
