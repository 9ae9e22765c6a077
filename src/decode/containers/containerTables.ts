import type { z } from 'zod';
import type { Follows } from '../../core/stream/stream.ts';
import { input } from '../utxos/utxoInputs.ts';
import { output } from '../utxos/utxoOutputs.ts';
import { blockchain } from './blockchainRow.ts';
import { cAtomicTransaction } from './cAtomicTransactionRows.ts';
import { cBlock } from './cBlocks.ts';
import type { ContainerRows } from './containerRows.ts';
import { cTransaction } from './cTransactions.ts';
import { l1Validator } from './l1ValidatorRows.ts';
import { pBlock, pTransaction } from './pContainerRows.ts';
import { staking } from './stakingRow.ts';
import { subnet } from './subnetRow.ts';
import { xBlock, xTransaction, xVertex } from './xContainerRows.ts';

const table = <Schema extends z.ZodObject<z.ZodRawShape>>(
  description: string,
  schema: Schema,
  key: readonly string[],
  follows?: Follows,
) => ({ description, schema, key, ...(follows && { follows }) });

const linear: Follows = { position: 'height', link: { id: 'block_id', parent: 'parent_id' } };

/** The tables that decoded containers fill, by chain; each row carries its container's index. */
export const containerTables = {
  containers_c_blocks: table('C-Chain blocks out of the containers.', cBlock, [], {
    position: 'number',
    link: { id: 'hash', parent: 'parent_hash' },
  }),
  containers_c_transactions: table('EVM transactions out of the containers.', cTransaction, ['tx_index']),
  containers_c_atomic_transactions: table('Imports and exports of the C-Chain.', cAtomicTransaction, ['position']),
  containers_c_inputs: table('Inputs of the C-Chain atomic transactions.', input, ['position']),
  containers_c_outputs: table('Outputs of the C-Chain atomic transactions.', output, ['position']),
  containers_p_blocks: table('P-Chain blocks.', pBlock, [], linear),
  containers_p_transactions: table('P-Chain transactions.', pTransaction, ['position']),
  containers_p_inputs: table('Inputs of the P-Chain transactions.', input, ['position']),
  containers_p_outputs: table('Outputs of the P-Chain transactions.', output, ['position']),
  containers_p_staking: table('Validators and delegators that transactions add.', staking, ['position']),
  containers_p_l1_validators: table('What happens to validators of L1s.', l1Validator, ['position']),
  containers_p_subnets: table('What happens to subnets.', subnet, ['position']),
  containers_p_blockchains: table('New blockchains.', blockchain, ['position']),
  containers_x_blocks: table('X-Chain blocks.', xBlock, [], linear),
  containers_x_vertices: table('X-Chain vertices, from before the chain was linear.', xVertex, []),
  containers_x_transactions: table('X-Chain transactions.', xTransaction, ['position']),
  containers_x_inputs: table('Inputs of the X-Chain transactions.', input, ['position']),
  containers_x_outputs: table('Outputs of the X-Chain transactions.', output, ['position']),
} satisfies Readonly<Record<keyof ContainerRows, unknown>>;
