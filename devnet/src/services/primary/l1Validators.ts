import { u32 } from '../../codec/bytes.ts';
import { fromCb58, toCb58 } from '../../codec/cb58.ts';
import { sha256 } from '../../codec/hashes.ts';
import { toAddress } from '../../codec/primaryAddress.ts';
import { type Owner, readValidatorMessage } from '../../codec/validatorMessage.ts';
import { plainTransfer } from './plainTransfer.ts';
import type { JsonOwner, PlatformBody } from './platformBody.ts';
import type { L1Change, Output, PrimaryTx } from './primaryTypes.ts';

interface L1Validator {
  readonly validationId: Uint8Array;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly blsPublicKey: string | null;
  readonly owner: Owner;
  weight: bigint;
  /** Fee a validator pays in all until its balance is used up; 0 while it is inactive. */
  paidUntil: bigint;
}

/** Follows the L1 validators through the P-Chain's transactions, in order. */
export interface L1Validators {
  /** Notes in a transaction what it does to L1 validators; gives the output that returns a balance, if there is one. */
  apply(tx: PrimaryTx): Output | null;
}

/**
 * The continuous fee is `price` nAVAX a second for every active validator, counted in the P-Chain's own time.
 * What the node does not show (remaining balances, the outputs that return them) follows from that.
 */
export function createL1Validators(prefix: string, avaxAssetId: string, price: bigint): L1Validators {
  const validators = new Map<string, L1Validator>();
  const accrued = (tx: PrimaryTx): bigint => BigInt(tx.time) * price;
  const remaining = (tx: PrimaryTx, { paidUntil }: L1Validator): bigint => {
    const left = paidUntil - accrued(tx);
    return left > 0n ? left : 0n;
  };
  const record = (tx: PrimaryTx, validator: L1Validator, balanceChange: bigint | null): null => {
    tx.l1.push(changeOf(validator, remaining(tx, validator), balanceChange));
    return null;
  };
  const add = (tx: PrimaryTx, validator: Omit<L1Validator, 'paidUntil'>, balance: bigint): null => {
    const added = { ...validator, paidUntil: balance === 0n ? 0n : accrued(tx) + balance };
    validators.set(toCb58(validator.validationId), added);
    return record(tx, added, balance);
  };
  const giveBack = (tx: PrimaryTx, validator: L1Validator): Output | null => {
    const amount = remaining(tx, validator);
    validator.paidUntil = 0n;
    record(tx, validator, amount === 0n ? null : -amount);
    return amount === 0n ? null : plainTransfer(avaxAssetId, amount, validator.owner);
  };
  const readMessage = (tx: PrimaryTx, text: string): Output | null => {
    const message = readValidatorMessage(text, prefix);
    if (message?.kind === 'register') {
      const { kind: _, balanceOwner: owner, ...rest } = message;
      return add(tx, { ...rest, owner }, BigInt(tx.body.balance ?? 0));
    }
    const validator = message === null ? undefined : validators.get(toCb58(message.validationId));
    if (message === null || validator === undefined) return null;
    validator.weight = message.weight;
    return message.weight === 0n ? giveBack(tx, validator) : record(tx, validator, null);
  };
  return {
    apply(tx) {
      const { type, body } = tx;
      if (type === 'ConvertSubnetToL1Tx') {
        for (const { balance, ...one } of convertedValidators(body, prefix)) add(tx, one, balance);
        return null;
      }
      if (body.message !== undefined) return readMessage(tx, body.message);
      const validator = validators.get(body.validationID ?? '');
      if (validator === undefined) return null;
      if (type === 'DisableL1ValidatorTx') return giveBack(tx, validator);
      if (type !== 'IncreaseL1ValidatorBalanceTx') return null;
      const balance = BigInt(body.balance ?? 0);
      validator.paidUntil = accrued(tx) + remaining(tx, validator) + balance;
      return record(tx, validator, balance);
    },
  };
}

function changeOf(validator: L1Validator, remainingBalance: bigint, balanceChange: bigint | null): L1Change {
  const { validationId, nodeId, subnetId, weight, blsPublicKey } = validator;
  return {
    validationId: toCb58(validationId),
    validationIdHex: `0x${Buffer.from(validationId).toString('hex')}`,
    nodeId,
    subnetId,
    weight,
    remainingBalance,
    balanceChange,
    blsPublicKey,
  };
}

/** The validators that a subnet becomes an L1 with. */
const convertedValidators = ({ validators = [], subnetID = '' }: PlatformBody, prefix: string) =>
  validators.map((one, index) => ({
    validationId: sha256(Buffer.concat([fromCb58(subnetID), u32(index)])),
    nodeId: nodeIdOf(one.nodeID),
    subnetId: subnetID,
    blsPublicKey: one.signer.publicKey,
    owner: ownerOf(one.remainingBalanceOwner, prefix),
    weight: BigInt(one.weight),
    balance: BigInt(one.balance),
  }));

/** In a conversion, owners are written as cb58 of 20 bytes and node ids as hex. */
function ownerOf({ threshold, addresses }: JsonOwner, prefix: string): Owner {
  return { threshold, addresses: addresses.map((address) => toAddress(prefix, fromCb58(address))) };
}

const nodeIdOf = (text: string): string =>
  text.startsWith('0x') ? `NodeID-${toCb58(Buffer.from(text.slice(2), 'hex'))}` : text;
