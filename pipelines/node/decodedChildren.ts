import { type ContainerRows, derivedRows, type Row } from '../../src/index.ts';
import { type ContainerChild, containerChildren } from './containerChildren.ts';

/** Member of C-Chain transaction rows that holds the canonical bytes, from which the sender is recovered; no column. */
export const rawMember = 'raw';

/** By child table, what makes its rows of decoded records. */
const rowOf = Object.fromEntries(
  Object.entries(containerChildren).map(([name, { schema }]) => [name, derivedRows(schema)]),
) as Record<ContainerChild, (record: object) => Row>;

/** The rows of the child tables that a decoded container fills. Throws FirnError `decode` for an integer no column can hold. */
export function decodedChildren(rows: ContainerRows): Readonly<Record<string, readonly Row[]>> {
  const children = Object.entries(listsOf(rows)).map(([name, records]) => [
    name,
    records.map(rowOf[name as ContainerChild]),
  ]);
  return Object.fromEntries(children);
}

function listsOf(rows: ContainerRows): Partial<Record<ContainerChild, readonly object[]>> {
  switch (rows.chain) {
    case 'C':
      return {
        containers_c_blocks: [rows.block],
        containers_c_transactions: rows.transactions.map((tx, i) => ({ ...tx, [rawMember]: rows.rawTransactions[i] })),
        containers_c_atomic_transactions: rows.atomicTransactions,
        containers_c_inputs: rows.inputs,
        containers_c_outputs: rows.outputs,
      };
    case 'P':
      return {
        containers_p_blocks: [rows.block],
        containers_p_transactions: rows.transactions,
        containers_p_inputs: rows.inputs,
        containers_p_outputs: rows.outputs,
        containers_p_staking: rows.stakings,
        containers_p_l1_validators: rows.l1Validators,
        containers_p_subnets: rows.subnets,
        containers_p_blockchains: rows.blockchains,
      };
    case 'X':
      return {
        containers_x_blocks: rows.block ? [rows.block] : [],
        containers_x_vertices: rows.vertex ? [rows.vertex] : [],
        containers_x_transactions: rows.transactions,
        containers_x_inputs: rows.inputs,
        containers_x_outputs: rows.outputs,
      };
  }
}

/** The id that a decoded container must have (cb58). */
export function decodedId(rows: ContainerRows): string | undefined {
  if (rows.chain !== 'X') return rows.block.container_id;
  return rows.block?.container_id ?? rows.vertex?.vertex_id ?? rows.transactions[0]?.tx_id;
}

/** The id of the container before this one (cb58); null for what is no block. */
export const parentId = (rows: ContainerRows): string | null => rows.block?.container_parent_id ?? null;
