import {
  amountKinds,
  assetAmount,
  evmInput,
  evmOutput,
  l1Validator,
  transactionUtxo,
  transactionVertex,
} from './primaryShapes.ts';

/**
 * Child tables of every Primary Network transaction. UTXOs, L1 validators and EVM ends merge by union, since an answer that is
 * filtered by address or validation shows only part of them.
 *
 * @param name the stream's, which begins the tables' names
 * @param kept what the tables say of themselves where the stream keeps versions of rows
 */
export const transactionChildren = (name: string, kept = '') => ({
  [`${name}_consumed_utxos`]: {
    description: `UTXOs that the transactions consume${kept}.`,
    schema: transactionUtxo,
    key: ['utxo_id'],
    of: 'consumedUtxos',
    write: 'union' as const,
  },
  [`${name}_emitted_utxos`]: {
    description: `UTXOs that the transactions create${kept}.`,
    schema: transactionUtxo,
    key: ['utxo_id'],
    of: 'emittedUtxos',
    write: 'union' as const,
  },
  [`${name}_amounts`]: {
    description: `Amounts of the transactions by kind and asset${kept}.`,
    schema: assetAmount,
    key: ['kind', 'asset_id', 'amount', 'position'],
    of: amountKinds,
    listed: { name: 'kind', description: `The member of the answer: ${amountKinds.join(', ')}.` },
  },
  [`${name}_l1_validators`]: {
    description: `L1 validators that the transactions register or change, as they stood then${kept}.`,
    schema: l1Validator,
    key: ['validation_id', 'position'],
    of: 'l1ValidatorDetails',
    write: 'union' as const,
  },
});

/** Child tables for the members that only the X- and the C-Chain's transactions have. */
export const otherChildren = {
  primary_transactions_vertices: {
    description: 'Vertices that hold the transactions (X-Chain before Cortina).',
    schema: transactionVertex,
    key: ['vertex_hash'],
    of: 'vertices',
  },
  primary_transactions_evm_inputs: {
    description: 'EVM accounts that C-Chain exports take from.',
    schema: evmInput,
    key: ['from_address', 'asset_id', 'amount', 'position'],
    of: 'evmInputs',
    write: 'union',
  },
  primary_transactions_evm_outputs: {
    description: 'EVM accounts that C-Chain imports give to.',
    schema: evmOutput,
    key: ['to_address', 'asset_id', 'amount', 'position'],
    of: 'evmOutputs',
    write: 'union',
  },
} as const;
