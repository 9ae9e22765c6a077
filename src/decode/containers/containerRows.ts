import type { Rows } from '../../core/rows/rows.ts';

type Tables =
  | `c_${'blocks' | 'transactions' | 'atomic_transactions' | 'inputs' | 'outputs'}`
  | `p_${'blocks' | 'transactions' | 'inputs' | 'outputs' | 'staking' | 'l1_validators' | 'subnets' | 'blockchains'}`
  | `x_${'blocks' | 'vertices' | 'transactions' | 'inputs' | 'outputs'}`;

/** Where rows of containers are added: those of each table of `containerTables`. */
export type ContainerRows = Readonly<Record<`containers_${Tables}`, Rows>>;
