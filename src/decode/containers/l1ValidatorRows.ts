import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { amount, hex, int64, optional, text, texts, uint64 } from '../../core/columns/columns.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { type DecodedRow, rowAppender } from '../../core/rows/rowWriter.ts';
import { decodeL1Instruction } from '../avalanche/l1Instruction.ts';
import type { PTx, PUnsignedTx } from '../avalanche/pTransactions.ts';
import { addressesOf } from '../bytes/address.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { decodeError } from '../bytes/decodeError.ts';
import { sha256 } from '../bytes/hashes.ts';
import { toHex } from '../bytes/hex.ts';
import { encodeNodeId } from '../bytes/nodeId.ts';
import { type BlockPlace, pPlace } from '../utxos/utxoPlace.ts';

/** Something that happens to a validator of an L1. */
export const l1Validator = z.object({
  ...pPlace,
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

type L1ValidatorRow = DecodedRow<typeof l1Validator>;

const append = rowAppender(l1Validator);

/** Columns of which an event says nothing are NULL. */
const nothing = Object.fromEntries(Object.keys(l1Validator.shape).map((name) => [name, null])) as Record<
  keyof L1ValidatorRow,
  null
>;

type Event = Pick<L1ValidatorRow, 'event' | 'validation_id'> & Partial<L1ValidatorRow>;

/** Adds what a transaction does to validators of L1s. */
export function addL1Validators(tx: PTx, txId: string, place: BlockPlace, rows: Rows): void {
  const start = { tx_id: txId, block_height: place.height, block_timestamp: place.timestamp };
  for (const event of eventsOf(tx.unsignedTx, place.hrp)) append(rows, { ...nothing, ...start, ...event });
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
  if (unsigned.type === 'RegisterL1ValidatorTx' && instruction.type === 'RegisterL1Validator')
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
