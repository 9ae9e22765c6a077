import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Devnet, startDevnet } from 'firn-devnet';
import {
  type Chain,
  createPublicClient,
  defineChain,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseEventLogs,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem';
import { avalanche, avalancheFuji } from 'viem/chains';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { presetSources } from '../../src/cli/init/presets.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { syncOnce } from '../pipelines/standardHarness.ts';
import { tally } from './tally.ts';

// viem reads both EVM chains of the embedded node, block by block; firn reads them too, and the rows are those that viem has.

let devnet: Devnet;
let warehouse: Warehouse;
let folder: string;
beforeAll(async () => {
  devnet = await startDevnet();
  folder = await mkdtemp(join(tmpdir(), 'firn-viem-'));
  const blockchainIds = ['C', ...devnet.ledger.l1s.map(({ blockchainId }) => blockchainId)];
  const results = await syncOnce(folder, devnet, { 'node/evm_blocks': { blockchainIds, from: 0 } });
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
});
afterAll(async () => {
  warehouse.close();
  await devnet.close();
  await rm(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;
const hexes = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : (value ?? null));

/** One chain by viem: its own definition of the C-Chain, at the embedded network's address. */
function clientOf(chain: Chain, path: string) {
  const url = `${devnet.url}${path}`;
  return createPublicClient({
    chain: defineChain({ ...chain, rpcUrls: { default: { http: [url] } } }),
    transport: http(url, { batch: true, retryCount: 0 }),
  });
}

const rowsOf = (table: string, chainId: string, columns: string, order: string) =>
  warehouse.query<Row>(`SELECT ${columns} FROM raw.node_evm_${table} WHERE chain_id = '${chainId}' ORDER BY ${order}`);
const time = 'epoch("timestamp")::BIGINT AS "timestamp"';
const wei = (name: string) => `coalesce(${name}_text, ${name}::VARCHAR) AS ${name}`;

test.each([0, 1])('every block, transaction, receipt and log of chain %i is to firn what it is to viem', async (at) => {
  const l1 = devnet.ledger.l1s[at - 1];
  const chainId = at === 0 ? 43112 : Number(l1?.evmChainId);
  const client = clientOf({ ...avalancheFuji, id: chainId }, `/ext/bc/${l1?.blockchainId ?? 'C'}/rpc`);
  expect(await client.getChainId()).toBe(chainId);
  const blocks = await rowsOf(
    'blocks',
    `${chainId}`,
    `"number", hash, parent_hash, miner, gas_used, gas_limit, ${time}, ${wei('base_fee_per_gas')}`,
    '"number"',
  );
  const transactions = await rowsOf(
    'transactions',
    `${chainId}`,
    `hash, from_address, to_address, type, nonce, gas_limit, input, ${wei('value')}`,
    'block_number, tx_index',
  );
  const receipts = await rowsOf(
    'receipts',
    `${chainId}`,
    `transaction_hash, status, gas_used, contract_address, ${wei('effective_gas_price')}`,
    'block_number, tx_index',
  );
  const logs = await rowsOf(
    'logs',
    `${chainId}`,
    'transaction_hash, log_index, address, to_json(topics)::VARCHAR AS topics, data',
    'block_number, log_index',
  );
  const head = await client.getBlockNumber();
  expect(blocks).toHaveLength(Number(head) + 1);
  const heights = blocks.map((_, height) => BigInt(height));
  const seen: { blocks: Row[]; transactions: Row[]; receipts: Row[]; logs: Row[] } = {
    blocks: [],
    transactions: [],
    receipts: [],
    logs: [],
  };
  for (let from = 0; from < heights.length; from += 100) {
    const read = await Promise.all(
      heights.slice(from, from + 100).map(async (blockNumber) => {
        const block = await client.getBlock({ blockNumber, includeTransactions: true });
        const all = await Promise.all(block.transactions.map(({ hash }) => client.getTransactionReceipt({ hash })));
        return { block, receipts: all };
      }),
    );
    for (const { block, receipts } of read) {
      seen.blocks.push({
        number: block.number,
        hash: block.hash,
        parent_hash: block.parentHash,
        miner: hexes(block.miner),
        gas_used: block.gasUsed,
        gas_limit: block.gasLimit,
        timestamp: block.timestamp,
        base_fee_per_gas: block.baseFeePerGas?.toString() ?? null,
      });
      for (const tx of block.transactions) {
        seen.transactions.push({
          hash: tx.hash,
          from_address: hexes(tx.from),
          to_address: hexes(tx.to),
          type: Number(tx.typeHex),
          nonce: BigInt(tx.nonce),
          gas_limit: tx.gas,
          input: tx.input,
          value: tx.value.toString(),
        });
        // What a wallet signed gives the hash and the sender: nothing in the answer is made up.
        const { r, s, v, yParity, gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...rest } = tx;
        const fees = tx.type === 'eip1559' ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice };
        const signed = serializeTransaction(
          { ...rest, ...fees, data: tx.input } as unknown as TransactionSerializable,
          { r, s, v, yParity } as never,
        );
        expect(keccak256(signed)).toBe(tx.hash);
        if (tx.transactionIndex === 0)
          expect(hexes(await recoverTransactionAddress({ serializedTransaction: signed as never }))).toBe(
            hexes(tx.from),
          );
      }
      for (const receipt of receipts) {
        seen.receipts.push({
          transaction_hash: receipt.transactionHash,
          status: receipt.status === 'success' ? 1 : 0,
          gas_used: receipt.gasUsed,
          contract_address: hexes(receipt.contractAddress),
          effective_gas_price: receipt.effectiveGasPrice.toString(),
        });
        for (const log of receipt.logs)
          seen.logs.push({
            transaction_hash: log.transactionHash,
            log_index: log.logIndex,
            address: hexes(log.address),
            topics: log.topics,
            data: log.data,
          });
      }
    }
  }
  expect(blocks).toEqual(seen.blocks);
  expect(transactions).toEqual(seen.transactions);
  expect(receipts).toEqual(seen.receipts);
  expect(logs.map(({ topics, ...log }) => ({ ...log, topics: JSON.parse(String(topics)) }))).toEqual(seen.logs);
  tally(
    'blocks, transactions, receipts and logs read by viem and by firn',
    blocks.length + transactions.length + receipts.length + logs.length,
  );

  // The same logs, asked for by what they are about.
  const transfers = parseEventLogs({
    abi: erc20Abi,
    logs: await client.getLogs({ fromBlock: 0n, toBlock: head }),
    eventName: 'Transfer',
    strict: true,
  });
  const filtered = await client.getContractEvents({
    abi: erc20Abi,
    eventName: 'Transfer',
    fromBlock: 0n,
    toBlock: head,
    strict: true,
  });
  expect(filtered.map(({ logIndex, transactionHash }) => [transactionHash, logIndex])).toEqual(
    transfers.map(({ logIndex, transactionHash }) => [transactionHash, logIndex]),
  );
  tally('blocks, transactions, receipts and logs read by viem and by firn', filtered.length);
  const token = transfers[0]?.address as Hex;
  const [name, decimals] = await Promise.all([
    client.readContract({ abi: erc20Abi, address: token, functionName: 'name' }),
    client.readContract({ abi: erc20Abi, address: token, functionName: 'decimals' }),
  ]);
  expect([typeof name, typeof decimals]).toEqual(['string', 'number']);
  for (const blockTag of ['latest', 'safe', 'finalized', 'earliest'] as const)
    expect((await client.getBlock({ blockTag })).hash).toMatch(/^0x/);
  await expect(client.getBlock({ blockNumber: head + 1n })).rejects.toThrow('cannot query unfinalized data');
});

test('the public RPC of the presets is the one that viem knows, with its chain id', () => {
  for (const [network, chain] of [
    ['mainnet', avalanche],
    ['fuji', avalancheFuji],
  ] as const) {
    const { node } = presetSources({ preset: 'rpc', network });
    expect(node?.rpc).toEqual({ C: chain.rpcUrls.default.http[0] });
  }
});
