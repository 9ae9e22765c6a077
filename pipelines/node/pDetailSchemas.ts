import { z } from 'zod';
import { amount, bytes, hex, int64, optional, text, texts, uint64, unixSeconds } from '../../src/index.ts';

const place = {
  tx_id: text('Transaction (cb58).'),
  block_height: optional(int64('Height of the block.')),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks.')),
};

/** A validator or delegator that a transaction adds. */
export const staking = z.object({
  ...place,
  tx_type: text('Type of the transaction.'),
  role: text('validator or delegator.'),
  node_id: text('NodeID of the validator.'),
  subnet_id: text('Subnet (cb58), all zero for the Primary Network.'),
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

/** Something that happens to a validator of an L1. */
export const l1Validator = z.object({
  ...place,
  event: text('converted, registered, weight_set, balance_increased, disabled.'),
  validation_id: text('Validation (cb58).'),
  subnet_id: optional(text('Subnet of the L1 (cb58).')),
  node_id: optional(text('NodeID.')),
  weight: optional(uint64('Weight; 0 in weight_set removes the validator.')),
  balance: optional(amount('Added to what the validator pays its fees from.', 'nAVAX')),
  bls_public_key: optional(hex('BLS public key.')),
  bls_proof_of_possession: optional(hex('Proof of possession of the BLS key.')),
  nonce: optional(uint64('Nonce of weight_set.')),
  expiry: optional(uint64('Unix seconds until when a registration is valid.')),
  remaining_balance_addresses: optional(texts('Who gets the balance that is left, in bech32.')),
  remaining_balance_threshold: optional(int64('How many of these must sign.')),
  deactivation_addresses: optional(texts('Who may disable the validator, in bech32.')),
  deactivation_threshold: optional(int64('How many of these must sign.')),
  source_chain_id: optional(text('Chain of the validator manager that gave the instruction (cb58).')),
  source_address: optional(hex('Contract that gave the instruction.')),
});

/** Something that happens to a subnet. */
export const subnet = z.object({
  ...place,
  subnet_id: text('Subnet (cb58); of a new one the transaction id.'),
  event: text('created, transferred, transformed, converted.'),
  owner_addresses: optional(texts('New owner, in bech32.')),
  owner_threshold: optional(int64('How many of these must sign.')),
  owner_locktime: optional(uint64('Unix seconds before which the owner cannot act.')),
  asset_id: optional(text('Asset staked in a transformed subnet (cb58).')),
  manager_chain_id: optional(text("Chain of an L1's validator manager (cb58).")),
  manager_address: optional(hex('Address of the validator manager.')),
});

/** A new blockchain. */
export const blockchain = z.object({
  blockchain_id: text("The blockchain's id (cb58); the transaction id."),
  block_height: place.block_height,
  block_timestamp: place.block_timestamp,
  subnet_id: text('Subnet that validates it (cb58).'),
  chain_name: text('Name.'),
  vm_id: text('Virtual machine (cb58).'),
  fx_ids: texts('Feature extensions (cb58).'),
  genesis_data: bytes('Genesis of the chain.'),
});
