import type { Output, PrimaryChain, PrimaryTx, RewardKind, Staking } from './primaryTypes.ts';

/** A transaction with its outputs and inputs as it writes them, before they are joined to those of other transactions. */
export interface Draft {
  readonly tx: PrimaryTx;
  readonly outputs: readonly DraftOutput[];
  readonly inputs: readonly DraftInput[];
}

export interface DraftOutput {
  readonly txId: string;
  readonly outputIndex: number;
  readonly output: Output;
  readonly consumableOn: PrimaryChain;
  readonly staking: Staking | null;
  readonly rewardType: RewardKind | null;
}

export interface DraftInput {
  readonly txId: string;
  readonly outputIndex: number;
  readonly assetId: string;
  /** null where the transaction does not repeat it. */
  readonly amount: bigint | null;
}

/** Outputs in the order of their indexes, all of one transaction. */
export function numbered(
  txId: string,
  outputs: readonly (Pick<DraftOutput, 'output' | 'consumableOn'> & { readonly staking?: Staking | null })[],
): DraftOutput[] {
  return outputs.map(({ output, consumableOn, staking }, outputIndex) => ({
    txId,
    outputIndex,
    output,
    consumableOn,
    staking: staking ?? null,
    rewardType: null,
  }));
}
