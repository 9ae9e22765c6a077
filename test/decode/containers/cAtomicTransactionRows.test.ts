import { expect, test } from 'vitest';
import type { AtomicTx } from '../../../src/decode/avalanche/extraData.ts';
import { toHex } from '../../../src/decode/bytes/hex.ts';
import { addAtomicTransactions } from '../../../src/decode/containers/cAtomicTransactionRows.ts';
import { emptyTables } from '../decodedRows.ts';

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);
const accounts = [1, 2].map((fill) => ({
  address: bytes(20, fill),
  amount: BigInt(fill),
  assetID: bytes(32, 3),
  nonce: BigInt(fill - 1),
}));
const tx = (id: number, unsignedTx: object) =>
  ({
    id: bytes(32, id),
    unsignedTx: { networkID: 1, blockchainID: bytes(32, 4), ...unsignedTx },
    credentials: accounts.map(({ nonce }) => ({ signatures: [bytes(65, Number(nonce))] })),
  }) as unknown as AtomicTx;

// Recorded imports have one output each, and no account exports at its nonce 0.
test('each EVM account of an import or an export has its place, its nonce and its signature, in a block at height 0, too', () => {
  const into = emptyTables();
  const accountsOf = [
    tx(5, { type: 'ImportTx', sourceChain: bytes(32, 6), importedInputs: [], outputs: accounts }),
    tx(7, { type: 'ExportTx', destinationChain: bytes(32, 6), inputs: accounts, exportedOutputs: [] }),
  ];
  addAtomicTransactions(accountsOf, { height: 0, timestamp: 0, hrp: 'local' }, into);
  const at = { block_height: 0, block_timestamp: 0 };
  const of = ({ address, amount }: (typeof accounts)[number]) => ({
    ...at,
    evm_address: toHex(address),
    amount: Number(amount),
  });
  expect(into.containers_c_atomic_transactions.toObjects()).toMatchObject([at, at]);
  expect(into.containers_c_outputs.toObjects()).toMatchObject(
    accounts.map((account, output_index) => ({ ...of(account), output_index, destination: 'evm' })),
  );
  expect(into.containers_c_inputs.toObjects()).toMatchObject(
    accounts.map((account, input_index) => ({
      ...of(account),
      input_index,
      evm_nonce: input_index,
      signatures: [toHex(bytes(65, input_index))],
    })),
  );
});
