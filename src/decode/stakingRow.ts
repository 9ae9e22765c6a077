import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { toHex } from './hex.ts';
import { encodeNodeId } from './nodeId.ts';
import { addressesOf, type OwnerMembers } from './ownerMembers.ts';
import { PRIMARY_NETWORK } from './primaryNetwork.ts';
import type { PTx, PUnsignedTx } from './pTransactions.ts';
import type { TransferableOutput } from './transferables.ts';
import type { BlockPlace } from './utxoRowBuilder.ts';

/** A validator or delegator that a transaction adds. */
export interface StakingRow {
  /** Running number over the whole container, from 0. */
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  readonly tx_type: string;
  readonly block_height: number | null;
  /** Unix seconds; null in Apricot blocks. From Durango on the staking starts at this time. */
  readonly block_timestamp: number | null;
  /** `validator` or `delegator`. */
  readonly role: string;
  /** `NodeID-…` of the validator. */
  readonly node_id: string;
  /** cb58; all zero for the primary network. */
  readonly subnet_id: string;
  /** Unix seconds as the transaction says, without meaning from Durango on; null for an auto-renewed validator. */
  readonly start_time: bigint | null;
  /** Unix seconds; null for an auto-renewed validator. */
  readonly end_time: bigint | null;
  /** nAVAX on the primary network. */
  readonly weight: bigint;
  /** Sum of the staked outputs in the smallest unit of `stake_asset_id`; 0 for a permissioned subnet. */
  readonly stake_amount: bigint;
  /** cb58; null where nothing is staked. */
  readonly stake_asset_id: string | null;
  /** The validator's fee in millionths of its delegators' rewards. */
  readonly delegation_shares: number | null;
  /** `0x` hex of 48 bytes. */
  readonly bls_public_key: string | null;
  /** `0x` hex of 96 bytes. */
  readonly bls_proof_of_possession: string | null;
  /** Owner of the validator's own reward, or of the delegator's. bech32; null if nothing is rewarded. */
  readonly reward_addresses: readonly string[] | null;
  readonly reward_threshold: number | null;
  /** Unix seconds as u64; 0 for none. */
  readonly reward_locktime: bigint | null;
  /** Owner of the fees that delegators pay to the validator. */
  readonly delegation_reward_addresses: readonly string[] | null;
  readonly delegation_reward_threshold: number | null;
  readonly delegation_reward_locktime: bigint | null;
  /** Seconds; length of one cycle of an auto-renewed validator. */
  readonly period: bigint | null;
  /** Millionths of a cycle's reward that an auto-renewed validator stakes again. */
  readonly auto_compound_reward_shares: number | null;
  /** Who may change an auto-renewed validator. */
  readonly authority_addresses: readonly string[] | null;
  readonly authority_threshold: number | null;
}

/** The staking that a transaction begins, or null if it begins none. */
export function stakingRow(tx: PTx, place: BlockPlace): Omit<StakingRow, 'position'> | null {
  const unsigned = tx.unsignedTx;
  const members = stakingMembers(unsigned);
  if (!members) return null;
  const stake = 'stake' in unsigned ? unsigned.stake : [];
  const signer = 'signer' in unsigned && unsigned.signer.type === 'ProofOfPossession' ? unsigned.signer : null;
  const authority = 'validatorAuthority' in unsigned ? unsigned.validatorAuthority : null;
  const reward =
    'rewardsOwner' in unsigned
      ? unsigned.rewardsOwner
      : 'validationRewardsOwner' in unsigned
        ? unsigned.validationRewardsOwner
        : null;
  const delegationReward = delegationRewardOwner(unsigned);
  return {
    tx_id: encodeCb58(tx.id),
    tx_type: unsigned.type,
    block_height: place.height,
    block_timestamp: place.timestamp,
    ...members,
    stake_amount: staked(stake),
    stake_asset_id: stake[0] ? cachedCb58(stake[0].assetID) : null,
    delegation_shares:
      'shares' in unsigned ? unsigned.shares : 'delegationShares' in unsigned ? unsigned.delegationShares : null,
    bls_public_key: signer && toHex(signer.publicKey),
    bls_proof_of_possession: signer && toHex(signer.proofOfPossession),
    reward_addresses: reward && addressesOf(reward, place.hrp),
    reward_threshold: reward?.threshold ?? null,
    reward_locktime: reward?.locktime ?? null,
    delegation_reward_addresses: delegationReward && addressesOf(delegationReward, place.hrp),
    delegation_reward_threshold: delegationReward?.threshold ?? null,
    delegation_reward_locktime: delegationReward?.locktime ?? null,
    period: 'period' in unsigned ? unsigned.period : null,
    auto_compound_reward_shares: 'autoCompoundRewardShares' in unsigned ? unsigned.autoCompoundRewardShares : null,
    authority_addresses: authority && addressesOf(authority, place.hrp),
    authority_threshold: authority?.threshold ?? null,
  };
}

type Members = Pick<StakingRow, 'role' | 'node_id' | 'subnet_id' | 'start_time' | 'end_time' | 'weight'>;

function stakingMembers(unsigned: PUnsignedTx): Members | null {
  switch (unsigned.type) {
    case 'AddValidatorTx':
    case 'AddDelegatorTx':
      return members(unsigned.type, unsigned.validator, PRIMARY_NETWORK);
    case 'AddSubnetValidatorTx':
      return members(unsigned.type, unsigned.validator, unsigned.validator.subnetID);
    case 'AddPermissionlessValidatorTx':
    case 'AddPermissionlessDelegatorTx':
      return members(unsigned.type, unsigned.validator, unsigned.subnetID);
    case 'AddAutoRenewedValidatorTx':
      return {
        role: 'validator',
        node_id: encodeNodeId(unsigned.nodeID),
        subnet_id: cachedCb58(PRIMARY_NETWORK),
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
  return 'delegationRewardsOwner' in unsigned ? unsigned.delegationRewardsOwner : null;
}

// An auto-renewed validator weighs what it stakes; the other transactions say both.
function staked(stake: readonly TransferableOutput[]): bigint {
  return stake.reduce(
    (sum, { output }) => sum + (output.type === 'StakeableLockOut' ? output.output : output).amount,
    0n,
  );
}
