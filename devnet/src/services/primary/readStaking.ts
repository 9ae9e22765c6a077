import { emptyId } from '../../codec/cb58.ts';
import { bareAddress } from '../../codec/primaryAddress.ts';
import { estimateReward } from './estimateReward.ts';
import type { JsonOwner } from './platformBody.ts';
import type { PrimaryTx, Staking } from './primaryTypes.ts';
import type { SeenStaking, SnapshotFacts } from './snapshotFacts.ts';
import type { Supply } from './trackSupply.ts';

const addressesOf = (owner: JsonOwner | undefined): readonly string[] => (owner?.addresses ?? []).map(bareAddress);

/** The staking a P-Chain transaction starts, or null. */
export function readStaking(tx: PrimaryTx, facts: SnapshotFacts, supply: Supply): Staking | null {
  const { validator, stake, subnetID, shares, signer } = tx.body;
  if (validator === undefined) return null;
  const isDelegator = stake !== undefined && shares === undefined;
  const start = tx.time >= facts.durangoTime ? tx.time : Number(validator.start);
  const end = Number(validator.end);
  const subnetId = subnetID ?? validator.subnetID ?? emptyId;
  const weight = BigInt(validator.weight);
  const earns = stake !== undefined && subnetId === emptyId;
  const potentialReward =
    facts.potentialReward.get(tx.id) ?? (earns ? estimateReward(weight, end - start, supply.at(tx.visibleAt)) : null);
  if (earns) supply.add(potentialReward ?? 0n, tx.visibleAt);
  return {
    tx,
    txId: tx.id,
    role: isDelegator ? 'delegator' : 'validator',
    nodeId: validator.nodeID,
    subnetId,
    weight,
    start,
    end,
    shares: shares ?? null,
    rewardAddresses: addressesOf(tx.body.validationRewardsOwner ?? tx.body.rewardsOwner),
    feeAddresses: addressesOf(tx.body.delegationRewardsOwner ?? (isDelegator ? undefined : tx.body.rewardsOwner)),
    signer: signerOf(signer),
    potentialReward,
    endedBy: null,
    granted: false,
    rewards: [],
    removedBy: null,
  };
}

/** A validator that was there from genesis, known only because it was seen. */
export function genesisStaking(seen: SeenStaking): Staking {
  return {
    tx: null,
    txId: seen.txID,
    role: 'validator',
    nodeId: seen.nodeID,
    subnetId: emptyId,
    weight: BigInt(seen.weight),
    start: Number(seen.startTime),
    end: Number(seen.endTime),
    shares: Math.round(Number(seen.delegationFee ?? 0) * 10_000),
    rewardAddresses: (seen.validationRewardOwner?.addresses ?? []).map(bareAddress),
    feeAddresses: (seen.delegationRewardOwner?.addresses ?? []).map(bareAddress),
    signer: signerOf(seen.signer),
    potentialReward: seen.potentialReward === undefined ? null : BigInt(seen.potentialReward),
    endedBy: null,
    granted: false,
    rewards: [],
    removedBy: null,
  };
}

function signerOf(
  signer: { readonly publicKey?: string; readonly proofOfPossession?: string } | undefined,
): Staking['signer'] {
  const { publicKey, proofOfPossession } = signer ?? {};
  return publicKey === undefined || proofOfPossession === undefined ? null : { publicKey, proofOfPossession };
}
