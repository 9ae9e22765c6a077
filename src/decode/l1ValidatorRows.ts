import { Buffer } from 'node:buffer';
import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { decodeError } from './decodeError.ts';
import { toHex } from './hex.ts';
import { encodeNodeId } from './nodeId.ts';
import { addressesOf } from './ownerMembers.ts';
import type { PTx, PUnsignedTx } from './pTransactions.ts';
import { sha256 } from './sha256.ts';
import type { BlockPlace } from './utxoRowBuilder.ts';
import { decodeL1Instruction } from './warpMessage.ts';

/** Something that happens to a validator of an L1. What an event does not change is null. */
export interface L1ValidatorRow {
  /** Running number over the whole container, from 0. */
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  readonly block_height: number | null;
  /** Unix seconds. */
  readonly block_timestamp: number | null;
  /** `converted` (came with the conversion of its subnet), `registered`, `weight_set`, `balance_increased`, `disabled`. */
  readonly event: string;
  /** cb58. */
  readonly validation_id: string;
  /** cb58. */
  readonly subnet_id: string | null;
  /** `NodeID-…`. */
  readonly node_id: string | null;
  /** 0 in `weight_set` removes the validator. */
  readonly weight: bigint | null;
  /** nAVAX that the transaction adds to what the validator pays its fees from. */
  readonly balance: bigint | null;
  /** `0x` hex of 48 bytes. */
  readonly bls_public_key: string | null;
  /** `0x` hex of 96 bytes. */
  readonly bls_proof_of_possession: string | null;
  /** Of `weight_set`. */
  readonly nonce: bigint | null;
  /** Unix seconds until when a registration is valid. */
  readonly expiry: bigint | null;
  /** bech32; gets the balance that is left. */
  readonly remaining_balance_addresses: readonly string[] | null;
  readonly remaining_balance_threshold: number | null;
  /** bech32; may disable the validator. */
  readonly deactivation_addresses: readonly string[] | null;
  readonly deactivation_threshold: number | null;
  /** cb58; chain of the validator manager that gave the instruction. */
  readonly source_chain_id: string | null;
  /** `0x` hex; contract that gave the instruction. */
  readonly source_address: string | null;
}

type Event = Pick<L1ValidatorRow, 'event' | 'validation_id'> & Partial<L1ValidatorRow>;

/** What a transaction does to validators of L1s. */
export function l1ValidatorRows(tx: PTx, place: BlockPlace): Omit<L1ValidatorRow, 'position'>[] {
  const start = { tx_id: encodeCb58(tx.id), block_height: place.height, block_timestamp: place.timestamp };
  return eventsOf(tx.unsignedTx, place.hrp).map((event) => ({ ...start, ...NOTHING, ...event }));
}

function eventsOf(unsigned: PUnsignedTx, hrp: string): Event[] {
  switch (unsigned.type) {
    case 'ConvertSubnetToL1Tx':
      return unsigned.validators.map((validator, index) => ({
        event: 'converted',
        validation_id: encodeCb58(conversionValidationId(unsigned.subnetID, index)),
        subnet_id: cachedCb58(unsigned.subnetID),
        node_id: encodeNodeId(validator.nodeID),
        weight: validator.weight,
        balance: validator.balance,
        bls_public_key: toHex(validator.signer.publicKey),
        bls_proof_of_possession: toHex(validator.signer.proofOfPossession),
        remaining_balance_addresses: addressesOf(validator.remainingBalanceOwner, hrp),
        remaining_balance_threshold: validator.remainingBalanceOwner.threshold,
        deactivation_addresses: addressesOf(validator.deactivationOwner, hrp),
        deactivation_threshold: validator.deactivationOwner.threshold,
      }));
    case 'RegisterL1ValidatorTx':
    case 'SetL1ValidatorWeightTx':
      return [instructed(unsigned, hrp)];
    case 'IncreaseL1ValidatorBalanceTx':
      return [
        { event: 'balance_increased', validation_id: encodeCb58(unsigned.validationID), balance: unsigned.balance },
      ];
    case 'DisableL1ValidatorTx':
      return [{ event: 'disabled', validation_id: encodeCb58(unsigned.validationID) }];
    default:
      return [];
  }
}

type Instructed = Extract<PUnsignedTx, { type: 'RegisterL1ValidatorTx' | 'SetL1ValidatorWeightTx' }>;

function instructed(unsigned: Instructed, hrp: string): Event {
  const { sourceChainID, sourceAddress, instruction, bytes } = decodeL1Instruction(unsigned.message);
  const source = { source_chain_id: cachedCb58(sourceChainID), source_address: toHex(sourceAddress) };
  if (unsigned.type === 'RegisterL1ValidatorTx' && instruction.type === 'RegisterL1Validator') {
    return {
      event: 'registered',
      validation_id: encodeCb58(sha256(bytes)),
      subnet_id: cachedCb58(instruction.subnetID),
      node_id: encodeNodeId(instruction.nodeID),
      weight: instruction.weight,
      balance: unsigned.balance,
      bls_public_key: toHex(instruction.blsPublicKey),
      bls_proof_of_possession: toHex(unsigned.proofOfPossession),
      expiry: instruction.expiry,
      remaining_balance_addresses: addressesOf(instruction.remainingBalanceOwner, hrp),
      remaining_balance_threshold: instruction.remainingBalanceOwner.threshold,
      deactivation_addresses: addressesOf(instruction.disableOwner, hrp),
      deactivation_threshold: instruction.disableOwner.threshold,
      ...source,
    };
  }
  if (unsigned.type === 'SetL1ValidatorWeightTx' && instruction.type === 'L1ValidatorWeight') {
    const { validationID, nonce, weight } = instruction;
    return { event: 'weight_set', validation_id: encodeCb58(validationID), nonce, weight, ...source };
  }
  throw decodeError(`${unsigned.type} holds the instruction ${instruction.type}`, 0);
}

/** Id of the validation that a conversion begins: SHA-256 of the subnet's id and the validator's place in the list. */
function conversionValidationId(subnetId: Uint8Array, index: number): Buffer {
  const bytes = Buffer.alloc(36);
  bytes.set(subnetId);
  bytes.writeUInt32BE(index, 32);
  return sha256(bytes);
}

const NOTHING = {
  subnet_id: null,
  node_id: null,
  weight: null,
  balance: null,
  bls_public_key: null,
  bls_proof_of_possession: null,
  nonce: null,
  expiry: null,
  remaining_balance_addresses: null,
  remaining_balance_threshold: null,
  deactivation_addresses: null,
  deactivation_threshold: null,
  source_chain_id: null,
  source_address: null,
};
