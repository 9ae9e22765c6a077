import { sha256 } from '@noble/hashes/sha2.js';
import { fromCb58, toCb58 } from '../codec/cb58.ts';
import { toAddress } from '../codec/primaryAddress.ts';
import { u32 } from '../codec/u32.ts';
import type { JsonOwner } from './platformBody.ts';
import type { L1Change, Output, PrimaryTx } from './primaryTypes.ts';
import { type Owner, readValidatorMessage } from './warpMessage.ts';

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
  /** Records what a transaction does to L1 validators in it, and gives the output that returns a balance, if it does. */
  apply(tx: PrimaryTx): Output | null;
}

/**
 * The continuous fee is `price` nAVAX a second for every active validator, counted in the P-Chain's own time.
 * What the node does not show (remaining balances, the outputs that return them) follows from that.
 */
export function createL1Validators(prefix: string, avaxAssetId: string, price: bigint): L1Validators {
  const validators = new Map<string, L1Validator>();

  const accrued = (tx: PrimaryTx): bigint => BigInt(tx.time) * price;

  function remaining(tx: PrimaryTx, validator: L1Validator): bigint {
    const left = validator.paidUntil - accrued(tx);
    return left > 0n ? left : 0n;
  }

  function add(tx: PrimaryTx, validator: Omit<L1Validator, 'paidUntil'>, balance: bigint): void {
    const added = { ...validator, paidUntil: balance === 0n ? 0n : accrued(tx) + balance };
    validators.set(toCb58(validator.validationId), added);
    record(tx, added, balance);
  }

  function record(tx: PrimaryTx, validator: L1Validator, balanceChange: bigint | null): void {
    const change: L1Change = {
      validationId: toCb58(validator.validationId),
      validationIdHex: `0x${Buffer.from(validator.validationId).toString('hex')}`,
      nodeId: validator.nodeId,
      subnetId: validator.subnetId,
      weight: validator.weight,
      remainingBalance: remaining(tx, validator),
      balanceChange,
      blsPublicKey: validator.blsPublicKey,
    };
    tx.l1.push(change);
  }

  function giveBack(tx: PrimaryTx, validator: L1Validator): Output | null {
    const amount = remaining(tx, validator);
    validator.paidUntil = 0n;
    record(tx, validator, amount === 0n ? null : -amount);
    if (amount === 0n) return null;
    const { threshold, addresses } = validator.owner;
    return {
      assetId: avaxAssetId,
      kind: 'transfer',
      amount,
      addresses,
      threshold,
      locktime: 0n,
      stakeableLocktime: 0n,
      groupId: 0,
      payload: '',
    };
  }

  return {
    apply(tx) {
      const { body } = tx;
      if (tx.type === 'ConvertSubnetToL1Tx') {
        body.validators?.forEach((one, index) => {
          const balance = BigInt(one.balance);
          const validationId = sha256(Buffer.concat([fromCb58(body.subnetID ?? ''), u32(index)]));
          add(
            tx,
            {
              validationId,
              nodeId: nodeIdOf(one.nodeID),
              subnetId: body.subnetID ?? '',
              blsPublicKey: one.signer.publicKey,
              owner: ownerOf(one.remainingBalanceOwner, prefix),
              weight: BigInt(one.weight),
            },
            balance,
          );
        });
        return null;
      }
      if (body.message !== undefined) {
        const message = readValidatorMessage(body.message, prefix);
        if (message === null) return null;
        if (message.kind === 'register') {
          const { validationId, nodeId, subnetId, blsPublicKey, balanceOwner, weight } = message;
          add(
            tx,
            { validationId, nodeId, subnetId, blsPublicKey, owner: balanceOwner, weight },
            BigInt(body.balance ?? 0),
          );
          return null;
        }
        const validator = validators.get(toCb58(message.validationId));
        if (validator === undefined) return null;
        validator.weight = message.weight;
        if (message.weight === 0n) return giveBack(tx, validator);
        record(tx, validator, null);
        return null;
      }
      const validator = validators.get(body.validationID ?? '');
      if (validator === undefined) return null;
      if (tx.type === 'DisableL1ValidatorTx') return giveBack(tx, validator);
      if (tx.type === 'IncreaseL1ValidatorBalanceTx') {
        const balance = BigInt(body.balance ?? 0);
        validator.paidUntil = accrued(tx) + remaining(tx, validator) + balance;
        record(tx, validator, balance);
      }
      return null;
    },
  };
}

/** In a conversion, owners are written as cb58 of 20 bytes and node ids as hex. */
function ownerOf({ threshold, addresses }: JsonOwner, prefix: string): Owner {
  return { threshold, addresses: addresses.map((address) => toAddress(prefix, fromCb58(address))) };
}

const nodeIdOf = (text: string): string =>
  text.startsWith('0x') ? `NodeID-${toCb58(Buffer.from(text.slice(2), 'hex'))}` : text;
