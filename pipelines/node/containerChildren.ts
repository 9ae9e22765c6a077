import type { z } from 'zod';
import { cAtomicTransaction, cBlock, cTransaction } from './cContainerSchemas.ts';
import { pBlock, pTransaction } from './pContainerSchemas.ts';
import { blockchain, l1Validator, staking, subnet } from './pDetailSchemas.ts';
import { input, output } from './utxoSchemas.ts';
import { xBlock, xTransaction, xVertex } from './xContainerSchemas.ts';

const child = <Schema extends z.ZodObject<z.ZodRawShape>>(
  description: string,
  schema: Schema,
  key: readonly string[],
) => ({ description, schema, key });

/** The tables that decoded containers fill, by chain; each row carries its container's index. */
export const containerChildren = {
  containers_c_blocks: child('C-Chain blocks out of the containers.', cBlock, []),
  containers_c_transactions: child('EVM transactions out of the containers.', cTransaction, ['tx_index']),
  containers_c_atomic_transactions: child('Imports and exports of the C-Chain.', cAtomicTransaction, ['position']),
  containers_c_inputs: child('Inputs of the C-Chain atomic transactions.', input, ['position']),
  containers_c_outputs: child('Outputs of the C-Chain atomic transactions.', output, ['position']),
  containers_p_blocks: child('P-Chain blocks.', pBlock, []),
  containers_p_transactions: child('P-Chain transactions.', pTransaction, ['position']),
  containers_p_inputs: child('Inputs of the P-Chain transactions.', input, ['position']),
  containers_p_outputs: child('Outputs of the P-Chain transactions.', output, ['position']),
  containers_p_staking: child('Validators and delegators that transactions add.', staking, ['position']),
  containers_p_l1_validators: child('What happens to validators of L1s.', l1Validator, ['position']),
  containers_p_subnets: child('What happens to subnets.', subnet, ['position']),
  containers_p_blockchains: child('New blockchains.', blockchain, ['position']),
  containers_x_blocks: child('X-Chain blocks.', xBlock, []),
  containers_x_vertices: child('X-Chain vertices, from before the chain was linear.', xVertex, []),
  containers_x_transactions: child('X-Chain transactions.', xTransaction, ['position']),
  containers_x_inputs: child('Inputs of the X-Chain transactions.', input, ['position']),
  containers_x_outputs: child('Outputs of the X-Chain transactions.', output, ['position']),
};

export type ContainerChild = keyof typeof containerChildren;
