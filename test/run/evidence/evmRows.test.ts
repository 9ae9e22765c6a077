import { expect, test } from 'vitest';
import { encodeEvmTransaction } from '../../../src/decode/evm/evmTransaction.ts';
import { isEncodable, transactionOfRow } from '../../../src/run/evidence/evmRows.ts';

const address = `0x${'ab'.repeat(20)}`;
const hash = `0x${'01'.repeat(32)}`;
const accessList = [{ address, storageKeys: [hash] }];

/** A row as the warehouse gives it: what a transaction with a maximum paid stands beside that. */
const row = {
  hash,
  signed_chain_id: 43_114n,
  nonce: 7n,
  gas_limit: 21_000n,
  gas_price: '30',
  max_fee_per_gas: '50',
  max_priority_fee_per_gas: '2',
  max_fee_per_blob_gas: '9',
  blob_versioned_hashes: JSON.stringify([hash]),
  to_address: address,
  value: '1000',
  input: '0x1234',
  access_list: JSON.stringify(accessList),
  v: '0x1',
  y_parity: 1,
  r: '0x5',
  s: '0x6',
};
const members = {
  hash,
  raw: Buffer.alloc(0),
  nonce: 7n,
  gasLimit: 21_000n,
  to: address,
  value: 1000n,
  input: '0x1234',
};
const none = { maxFeePerGas: null, maxPriorityFeePerGas: null, maxFeePerBlobGas: null, blobVersionedHashes: null };
const dynamic = { ...none, gasPrice: null, maxFeePerGas: 50n, maxPriorityFeePerGas: 2n };

test.each([
  [0, { ...none, gasPrice: 30n }],
  [1, { ...none, gasPrice: 30n }],
  [2, dynamic],
  [3, { ...dynamic, maxFeePerBlobGas: 9n, blobVersionedHashes: [hash] }],
])('a row of a transaction of type %i gives its bytes', (type, prices) => {
  const signature = { chainId: 43_114n, accessList, v: 1n, yParity: 1, r: 5n, s: 6n };
  const bytes = encodeEvmTransaction({ ...members, ...signature, ...prices, type });
  expect(isEncodable({ ...row, type })).toBe(true);
  expect(encodeEvmTransaction(transactionOfRow({ ...row, type }))).toEqual(bytes);
});

test('one of a later type gives them only where it holds them', () => {
  const held = { ...row, type: 4, raw_transaction: '0x04c0' };
  expect([isEncodable({ ...row, type: 4 }), isEncodable(held)]).toEqual([false, true]);
  expect(encodeEvmTransaction(transactionOfRow(held))).toEqual(Buffer.from('04c0', 'hex'));
});
