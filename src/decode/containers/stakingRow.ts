import { z } from 'zod';
import { amount, hex, int64, optional, text, texts, uint64, unixSeconds } from '../../core/columns/columns.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { type DecodedRow, rowAppender } from '../../core/rows/rowWriter.ts';
import { primaryNetworkId } from '../../core/stream/network.ts';
import { type PTx, type PUnsignedTx, primaryNetwork } from '../avalanche/pTransactions.ts';
import type { TransferableOutput } from '../avalanche/transferables.ts';
import { addressesOf, type OwnerMembers } from '../bytes/address.ts';
import { cachedCb58 } from '../bytes/cb58.ts';
import { toHex } from '../bytes/hex.ts';
import { encodeNodeId } from '../bytes/nodeId.ts';
import { type BlockPlace, pPlace } from '../utxos/utxoPlace.ts';

/** A validator or delegator that a transaction adds. */
export const staking = z.object({
  ...pPlace,
  tx_type: text('Type of the transaction.'),
  role: text('validator or delegator.'),
  node_id: text('NodeID of the validator.'),
  subnet_id: text(`Subnet (cb58); ${primaryNetworkId} is the Primary Network.`),
  start_time: optional(unixSeconds('Start as the transaction says; without meaning from Durango on.')),
  end_time: optional(unixSeconds('End of the staking.')),
  weight: optional(uint64('Weight; nAVAX on the Primary Network.')),
  stake_amount: amount('Sum of the staked outputs; 0 on a permissioned subnet.', 'smallest unit of the asset'),
  stake_asset_id: optional(text('Asset that is staked (cb58).')),
  delegation_shares: optional(int64("Fee in millionths of the delegators' rewards.")),
  bls_public_key: optional(hex('BLS public key.')),
  bls_proof_of_possession: optional(hex('Proof of possession of the BLS key.')),
  reward_addresses: optional(texts('Owner of the reward, in bech32.')),
  reward_threshold: optional(int64('How many of these must sign.')),
  reward_locktime: optional(uint64('Unix seconds before which the reward cannot be spent.')),
  delegation_reward_addresses: optional(texts('Owner of the delegation fees, in bech32.')),
  delegation_reward_threshold: optional(int64('How many of these must sign.')),
  delegation_reward_locktime: optional(uint64('Unix seconds before which the fees cannot be spent.')),
  period: optional(uint64('Seconds of one cycle of an auto-renewed validator.')),
  auto_compound_reward_shares: optional(int64("Millionths of a cycle's reward that are staked again.")),
  authority_addresses: optional(texts('Who may change an auto-renewed validator, in bech32.')),
  authority_threshold: optional(int64('How many of these must sign.')),
});

const append = rowAppender(staking);

/** Adds the staking that a transaction begins. */
export function addStaking(tx: PTx, txId: string, place: BlockPlace, rows: Rows): void {
  const unsigned = tx.unsignedTx;
  const members = stakingMembers(unsigned);
  if (!members) return;
  const stake = memberOf(unsigned, 'stake') ?? [];
  const proof = memberOf(unsigned, 'signer');
  const signer = proof?.type === 'ProofOfPossession' ? proof : null;
  const authority = memberOf(unsigned, 'validatorAuthority');
  const reward = memberOf(unsigned, 'rewardsOwner') ?? memberOf(unsigned, 'validationRewardsOwner');
  const delegationReward = delegationRewardOwner(unsigned);
  append(rows, {
    tx_id: txId,
    tx_type: unsigned.type,
    block_height: place.height,
    block_timestamp: place.timestamp,
    ...members,
    stake_amount: staked(stake),
    stake_asset_id: stake[0] ? cachedCb58(stake[0].assetID) : null,
    delegation_shares: memberOf(unsigned, 'shares') ?? memberOf(unsigned, 'delegationShares'),
    bls_public_key: signer && toHex(signer.publicKey),
    bls_proof_of_possession: signer && toHex(signer.proofOfPossession),
    reward_addresses: reward && addressesOf(reward, place.hrp),
    reward_threshold: reward?.threshold ?? null,
    reward_locktime: reward?.locktime ?? null,
    delegation_reward_addresses: delegationReward && addressesOf(delegationReward, place.hrp),
    delegation_reward_threshold: delegationReward?.threshold ?? null,
    delegation_reward_locktime: delegationReward?.locktime ?? null,
    period: memberOf(unsigned, 'period'),
    auto_compound_reward_shares: memberOf(unsigned, 'autoCompoundRewardShares'),
    authority_addresses: authority && addressesOf(authority, place.hrp),
    authority_threshold: authority?.threshold ?? null,
  });
}

type With<Name extends string> = Extract<PUnsignedTx, { readonly [name in Name]: unknown }>;

/** A member that some transactions have; null for the others. */
const memberOf = <Name extends string>(unsigned: PUnsignedTx, name: Name): With<Name>[Name] | null =>
  name in unsigned ? (unsigned as With<Name>)[name] : null;

type Members = Pick<
  DecodedRow<typeof staking>,
  'role' | 'node_id' | 'subnet_id' | 'start_time' | 'end_time' | 'weight'
>;

function stakingMembers(unsigned: PUnsignedTx): Members | null {
  switch (unsigned.type) {
    case 'AddValidatorTx':
    case 'AddDelegatorTx':
      return members(unsigned.type, unsigned.validator, primaryNetwork);
    case 'AddSubnetValidatorTx':
      return members(unsigned.type, unsigned.validator, unsigned.validator.subnetID);
    case 'AddPermissionlessValidatorTx':
    case 'AddPermissionlessDelegatorTx':
      return members(unsigned.type, unsigned.validator, unsigned.subnetID);
    case 'AddAutoRenewedValidatorTx':
      return {
        role: 'validator',
        node_id: encodeNodeId(unsigned.nodeID),
        subnet_id: cachedCb58(primaryNetwork),
        start_time: null,
        end_time: null,
        weight: staked(unsigned.stake),
      };
    default:
      return null;
  }
}

interface Validator {
  readonly nodeID: Uint8Array;
  readonly start: bigint;
  readonly end: bigint;
  readonly weight: bigint;
}

function members(type: string, validator: Validator, subnetId: Uint8Array): Members {
  return {
    role: type.includes('Delegator') ? 'delegator' : 'validator',
    node_id: encodeNodeId(validator.nodeID),
    subnet_id: cachedCb58(subnetId),
    start_time: validator.start,
    end_time: validator.end,
    weight: validator.weight,
  };
}

// Before Banff a validator had one owner for both rewards.
function delegationRewardOwner(unsigned: PUnsignedTx): OwnerMembers | null {
  if (unsigned.type === 'AddValidatorTx') return unsigned.rewardsOwner;
  return memberOf(unsigned, 'delegationRewardsOwner');
}

// An auto-renewed validator weighs what it stakes; the other transactions say both.
function staked(stake: readonly TransferableOutput[]): bigint {
  return stake.reduce(
    (sum, { output }) => sum + (output.type === 'StakeableLockOut' ? output.output : output).amount,
    0n,
  );
}
