import { ByteReader } from '../../codec/byteReader.ts';
import { fromCheckedHex } from '../../codec/bytes.ts';
import { decodeUtxo } from '../../codec/decodeOutput.ts';
import { addressPrefix } from '../../codec/primaryAddress.ts';
import type { Ledger } from '../../types.ts';
import { primaryChainOf } from './chainIds.ts';
import { type Draft, type DraftOutput, numbered } from './draft.ts';
import { toInput } from './draftExchange.ts';
import type { L1Validators } from './l1Validators.ts';
import type { Output, PrimaryTx, RewardKind, Staking } from './primaryTypes.ts';
import type { LinearTx } from './readLinearTxs.ts';
import { readOutput } from './readOutput.ts';
import { readStaking } from './readStaking.ts';
import type { SnapshotFacts } from './snapshotFacts.ts';
import type { Supply } from './trackSupply.ts';

/**
 * A P-Chain transaction with its outputs in the order of their indexes: plain ones, then staked or exported ones, then what the chain itself
 * returns (the balance of an L1 validator). A reward's outputs belong to the staking transaction. Called in the chain's order:
 * `stakings` grows as it goes.
 */
export function draftPlatform(
  ledger: Ledger,
  { tx, committed }: LinearTx,
  stakings: Map<string, Staking>,
  l1Validators: L1Validators,
  facts: SnapshotFacts,
  supply: Supply,
): Draft {
  const { body } = tx;
  // A proposal that was refused stakes nothing: its outputs are there, but free.
  tx.staking = committed ? readStaking(tx, facts, supply) : null;
  if (tx.staking !== null) stakings.set(tx.id, tx.staking);
  const returned = l1Validators.apply(tx);
  const target = tx.destinationChain === null ? null : primaryChainOf(ledger, tx.destinationChain);
  const stays = (output: Output) => ({ output, consumableOn: 'P' as const });
  const outputs = numbered(tx.id, [
    ...(body.outputs ?? []).map(readOutput).map(stays),
    ...(body.stake ?? []).map((output) => ({ ...stays(readOutput(output)), staking: tx.staking })),
    ...(body.exportedOutputs ?? []).map((output) => ({
      output: readOutput(output),
      consumableOn: target ?? ('P' as const),
    })),
    ...(returned === null ? [] : [stays(returned)]),
  ]);
  const inputs = [...(body.inputs ?? []), ...(body.importedInputs ?? [])].map(toInput);
  if (tx.type === 'RewardValidatorTx')
    return { tx, inputs, outputs: endStaking(ledger, tx, committed, stakings, supply) };
  if (tx.type === 'RemoveSubnetValidatorTx') removeValidator(tx, stakings);
  return { tx, inputs, outputs };
}

function endStaking(
  ledger: Ledger,
  tx: PrimaryTx,
  committed: boolean,
  stakings: Map<string, Staking>,
  supply: Supply,
): DraftOutput[] {
  const staking = stakings.get(tx.body.txID ?? '');
  if (staking === undefined) return [];
  tx.ends = staking;
  staking.endedBy = tx;
  staking.granted = committed;
  if (!committed) supply.add(-(staking.potentialReward ?? 0n), tx.visibleAt);
  const { utxos } = JSON.parse(ledger.rewards.get(staking.txId)?.result ?? '{"utxos":[]}') as {
    readonly utxos: readonly string[];
  };
  const prefix = addressPrefix(ledger.networkId);
  return utxos.map((hex, at) => {
    const { txId, outputIndex, output } = decodeUtxo(new ByteReader(fromCheckedHex(hex)), prefix);
    return { txId, outputIndex, output, consumableOn: 'P', staking: null, rewardType: rewardKind(staking, at) };
  });
}

/** The reward itself comes first, then the validator's share of its delegators' rewards, which is paid even where the reward is not. */
function rewardKind({ role, granted }: Staking, at: number): RewardKind {
  if (role === 'delegator') return at === 0 ? 'DELEGATOR' : 'VALIDATOR_FEE';
  return at === 0 && granted ? 'VALIDATOR' : 'VALIDATOR_FEE';
}

function removeValidator(tx: PrimaryTx, stakings: Map<string, Staking>): void {
  for (const staking of stakings.values()) {
    const same = staking.nodeId === tx.body.nodeID && staking.subnetId === tx.body.subnetID;
    if (same && staking.end > tx.time && staking.removedBy === null) staking.removedBy = tx;
  }
}
