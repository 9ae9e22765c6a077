import { beforeAll, describe, expect, test } from 'vitest';
import { snakeCase } from '../../../src/core/text/snakeCase.ts';
import { decodeEnvelope } from '../../../src/decode/avalanche/envelope.ts';
import { keccak256 } from '../../../src/decode/bytes/hashes.ts';
import { toHex } from '../../../src/decode/bytes/hex.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import type { ContainerIndex } from '../../../src/decode/containers/decodeContainer.ts';
import { decodeEvmBlock } from '../../../src/decode/evm/evmBlock.ts';
import type { EvmTransaction } from '../../../src/decode/evm/evmTransaction.ts';
import { some } from '../../some.ts';
import { decodedRows, integer } from '../decodedRows.ts';
import { encodeEvmBlock } from '../encoders.ts';
import { LEDGERS, type Recorded, readChain, readLines, txsOf } from '../recordedLedger.ts';

const decoded = (ledger: string, chain: 'c' | 'p' | 'x') =>
  readChain(ledger, chain).map((line) => {
    const index = `${chain.toUpperCase()}/block` as ContainerIndex;
    return { line, rows: decodedRows(index, decodeHexChecksum(line.container.bytes)) };
  });

/** JSON-RPC quantities as in the rows, absent members null. */
const quantity = (text: string | undefined) => (text === undefined ? null : integer(text));

describe.each(LEDGERS)('%s', (ledger) => {
  /** What its C-Chain decodes to. */
  let c: ReturnType<typeof decoded>;
  beforeAll(() => {
    c = decoded(ledger, 'c');
  });

  test('gives C-Chain block rows with the values of eth_getBlockByNumber', () => {
    let parent: string | null = null;
    for (const { line, rows } of some(c)) {
      const [block] = rows['blocks'];
      const node = line.block;
      expect(block).toMatchObject({
        container_id: line.container.id,
        hash: node.hash,
        parent_hash: node.parentHash,
        number: line.number,
        timestamp: Number(node.timestamp) * 1e6,
        timestamp_milliseconds: quantity(node.timestampMilliseconds),
        miner: node.miner,
        gas_limit: quantity(node.gasLimit),
        gas_used: quantity(node.gasUsed),
        base_fee_per_gas: quantity(node.baseFeePerGas),
        difficulty: quantity(node.difficulty),
        nonce: node.nonce,
        mix_hash: node.mixHash,
        sha3_uncles: node.sha3Uncles,
        state_root: node.stateRoot,
        transactions_root: node.transactionsRoot,
        receipts_root: node.receiptsRoot,
        logs_bloom: node.logsBloom,
        extra_data: node.extraData,
        ext_data_hash: node.extDataHash,
        ext_data_gas_used: quantity(node.extDataGasUsed),
        block_extra_data: node.blockExtraData,
        block_gas_cost: quantity(node.blockGasCost),
        blob_gas_used: quantity(node.blobGasUsed),
        excess_blob_gas: quantity(node.excessBlobGas),
        parent_beacon_block_root: node.parentBeaconBlockRoot ?? null,
        min_delay_excess: quantity(node.minDelayExcess),
        target_exponent: null,
        min_price_exponent: null,
        settled_height: null,
        settled_gas_unix: null,
        settled_gas_numerator: null,
        settled_excess: null,
        unknown_header_fields: [],
        size: Number(node.size),
        transaction_count: node.transactions.length,
      });
      if (parent !== null) expect(block.container_parent_id).toBe(parent);
      parent = block.container_id;
    }
  });

  test('gives C-Chain transaction rows with the values of eth_getBlockByNumber', () => {
    let seen = 0;
    for (const { line, rows } of some(c)) {
      for (const { raw, ...row } of rows['transactions']) {
        expect(toHex(keccak256(raw))).toBe(row.hash);
        const node = line.block.transactions[row.tx_index];
        expect(row).toMatchObject({
          tx_index: Number(node.transactionIndex),
          hash: node.hash,
          block_hash: node.blockHash,
          block_number: Number(node.blockNumber),
          block_timestamp: Number(line.block.timestamp) * 1e6,
          type: Number(node.type),
          from_address: null,
          to_address: node.to,
          nonce: quantity(node.nonce),
          gas_limit: quantity(node.gas),
          gas_price: quantity(node.gasPrice),
          max_fee_per_gas: quantity(node.maxFeePerGas),
          max_priority_fee_per_gas: quantity(node.maxPriorityFeePerGas),
          max_fee_per_blob_gas: null,
          blob_versioned_hashes: null,
          value: quantity(node.value),
          input: node.input,
          signed_chain_id: quantity(node.chainId),
          access_list: node.accessList ? JSON.stringify(node.accessList) : null,
          v: node.v,
          r: node.r,
          s: node.s,
          y_parity: node.yParity === undefined ? null : Number(node.yParity),
          raw_transaction: null,
        });
        seen++;
      }
    }
    expect(seen).toBe(ledger.endsWith('signed') ? 96 : ledger.endsWith('forks') ? 93 : 7262);
  });

  test('gives the rows of the C-Chain atomic transactions', () => {
    const rows = c.flatMap(({ rows }): Recorded[] => rows['atomic_transactions']);
    expect(rows.map((row) => ({ number: row.block_height, txID: row.tx_id }))).toEqual(
      readLines(ledger, 'c-atomic').map(({ number, txID }) => ({ number, txID })),
    );
  });

  test.each(['p', 'x'] as const)('gives block and transaction rows of %s with the ids of the node', (chain) => {
    for (const { line, rows } of some(decoded(ledger, chain))) {
      const node = line.json.block;
      expect(rows['blocks'][0]).toMatchObject({
        container_id: line.container.id,
        block_id: node.id,
        parent_id: node.parentID,
        height: line.height,
        timestamp: node.time ? node.time * 1e6 : null,
      });
      const txs = txsOf(node);
      expect(rows['transactions'].map((tx: Recorded) => tx.tx_id)).toEqual(txs.map((tx) => tx.id));
      expect(rows['blocks'][0].transaction_count).toBe(txs.length);
      const spent = txs.flatMap((tx) => [...(tx.unsignedTx.inputs ?? []), ...(tx.unsignedTx.importedInputs ?? [])]);
      expect(
        rows['inputs']
          .filter((row: Recorded) => row.source !== 'operation')
          .map((row: Recorded) => [row.output_tx_id, row.amount]),
      ).toEqual(spent.map(({ txID, input }) => [txID, integer((input.input ?? input).amount)]));
    }
  });
});

test('gives rows with the members and types of C-Chain blocks that no recording has', () => {
  const { inner } = decodeEnvelope(decodeHexChecksum(readChain(LEDGERS[0] as string, 'c').at(-1)?.container.bytes));
  const block = decodeEvmBlock(inner);
  const members = {
    blobGasUsed: 1n,
    excessBlobGas: 2n,
    timestampMilliseconds: 3n,
    minDelayExcess: 4n,
    targetExponent: 5n,
    minPriceExponent: 6n,
    settledHeight: 7n,
    settledGasUnix: 8n,
    settledGasNumerator: 9n,
    settledExcess: 10n,
  };
  // More wei than a number holds.
  const baseFeePerGas = 2n ** 60n;
  const header = { ...block.header, ...members, baseFeePerGas, unknownFields: ['0x07'] };
  const blob: EvmTransaction = {
    ...{ hash: '', type: 3, raw: Buffer.alloc(0), chainId: 43112n, nonce: 1n, gasPrice: null },
    ...{ maxFeePerGas: 2n ** 61n, maxPriorityFeePerGas: 5n, gasLimit: 6n, to: `0x${'11'.repeat(20)}`, value: 7n },
    ...{ input: '0x12', accessList: [], maxFeePerBlobGas: 8n, blobVersionedHashes: [`0x${'22'.repeat(32)}`] },
    ...{ v: 1n, yParity: 1, r: 9n, s: 10n },
  };
  const poor = { ...blob, type: 2, maxFeePerGas: 4n, maxFeePerBlobGas: null, blobVersionedHashes: null };
  const unknown = { ...blob, raw: Buffer.from('04c20102', 'hex'), nonce: null };
  const rows = decodedRows('C/block', encodeEvmBlock({ ...block, header, transactions: [blob, poor, unknown] }));
  expect(rows['blocks']).toMatchObject([
    {
      ...Object.fromEntries(Object.entries(members).map(([name, value]) => [snakeCase(name), Number(value)])),
      base_fee_per_gas: baseFeePerGas,
      unknown_header_fields: ['0x07'],
      transaction_count: 3,
    },
  ]);
  expect(rows['transactions']).toMatchObject([
    {
      ...{ tx_index: 0, type: 3, gas_price: baseFeePerGas + 5n, max_fee_per_gas: 2n ** 61n, access_list: '[]' },
      ...{ max_fee_per_blob_gas: 8, blob_versioned_hashes: blob.blobVersionedHashes, y_parity: 1 },
    },
    { tx_index: 1, type: 2, gas_price: 4, max_fee_per_gas: 4, max_fee_per_blob_gas: null, blob_versioned_hashes: null },
    {
      tx_index: 2,
      type: 4,
      gas_price: null,
      nonce: null,
      raw_transaction: '0x04c20102',
      hash: toHex(keccak256(unknown.raw)),
    },
  ]);
});
