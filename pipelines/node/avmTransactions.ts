import { z } from 'zod';
import {
  type Deriving,
  defineStream,
  hex,
  int32,
  int64,
  json,
  keyList,
  named,
  optional,
  text,
} from '../../src/index.ts';
import { node } from './source.ts';

/** Ids that transactions and assets of the X-Chain refer to and no index of the node holds: those of genesis, and from before it was linear. */
const referred = `
  SELECT output_tx_id AS "key" FROM raw.node_containers_x_inputs WHERE source IN ('input', 'operation')
  UNION SELECT asset_id FROM raw.node_containers_x_outputs
  EXCEPT SELECT tx_id FROM raw.node_containers_x_transactions`;

const all = `${referred} UNION SELECT tx_id FROM raw.node_containers_x_transactions`;

/** X-Chain transactions by id. */
export const avmTransactions = defineStream(node, {
  name: 'avm_transactions',
  description: 'X-Chain transactions as avm.getTx gives them.',
  endpoint: 'avm.getTx',
  parameters: z.strictObject({
    which: z
      .union([z.enum(['referred', 'all']), z.array(z.string()).min(1)])
      .default('referred')
      .describe(
        'referred: what the containers refer to and do not hold; all: these and the ones they hold; or a list of ids.',
      ),
    budget: z
      .number()
      .int()
      .positive()
      .default(1000)
      .describe('How many transactions one run asks for at most; `firn status` tells how many are left.'),
  }),
  needs: ['network'],
  partitions: ({ which, budget }) => [{ values: {}, settings: { which }, budget }],
  schema: z.object({
    id: named('tx_id', text('Transaction (cb58).')),
    networkID: int64('Network id inside the transaction.'),
    blockchainID: text('Chain inside the transaction (cb58).'),
    outputs: json('Outputs, as JSON.'),
    inputs: json('Inputs, as JSON.'),
    memo: optional(hex('Memo.')),
    sourceChain: optional(text('Of an import: where from (cb58).')),
    importedInputs: optional(json('Inputs from the other chain, as JSON.')),
    destinationChain: optional(text('Of an export: where to (cb58).')),
    exportedOutputs: optional(json('Outputs to the other chain, as JSON.')),
    name: optional(text('Name of a new asset.')),
    symbol: optional(text('Symbol of a new asset.')),
    denomination: optional(int32('Decimals of a new asset.')),
    initialStates: optional(json('First outputs of a new asset, as JSON.')),
    operations: optional(json('Operations, as JSON.')),
    credentials: optional(json('Credentials, as JSON.')),
    txType: optional(text('BaseTx, CreateAssetTx, OperationTx, ImportTx, ExportTx.')),
  }),
  key: ['tx_id'],
  derive: (row) => ({ columns: { tx_type: typeOf(row) } }),
  way: 'lookup',
  keys: ({ settings: { which } }) => {
    if (Array.isArray(which)) return keyList(which);
    return which === 'all' ? all : referred;
  },
  request: (key) => ({
    kind: 'rpc',
    path: '/ext/bc/X',
    call: { method: 'avm.getTx', params: { txID: key, encoding: 'json' } },
  }),
  lifts: ['unsignedTx', 'id', 'credentials'],
  records: { at: 'tx', about: 'id' },
});

function typeOf(tx: Deriving): string {
  if (tx.value('initial_states') !== null) return 'CreateAssetTx';
  if (tx.value('operations') !== null) return 'OperationTx';
  if (tx.value('imported_inputs') !== null) return 'ImportTx';
  return tx.value('exported_outputs') === null ? 'BaseTx' : 'ExportTx';
}
