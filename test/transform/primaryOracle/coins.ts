import { Buffer } from 'node:buffer';
import { encodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import type { Chain, Coin, Owner } from './history.ts';
import type { Picks } from './picks.ts';

export const filled = (byte: number, length = 32) => Buffer.alloc(length, byte);
export const chainIds: Readonly<Record<Chain, Buffer>> = { P: filled(0), X: filled(2), C: filled(3) };
export const avax = filled(0xa0);
export const cb58 = encodeCb58;

/** An output before its transaction has an id. */
export interface Output {
  readonly asset: Buffer;
  readonly type: string;
  readonly amount: bigint | null;
  readonly owner: Owner;
  readonly stakeable: bigint | null;
  readonly group: number;
}

/** The coin that output `index` of a transaction makes. */
export function coinOf(output: Output, txId: Buffer, index: number, holder: Chain): Coin {
  const place = Buffer.alloc(8);
  place.writeUInt32BE(index, 4);
  return { ...output, id: cb58(sha256(Buffer.concat([place, txId]))), txId, index, holder };
}

/** One to three owners; now and then only after a moment. */
export function drawOwner(picks: Picks, time: number): Owner {
  const first = picks.next(4);
  const addresses = [first, ...(picks.next(5) === 4 ? [first + 1, first + 2] : [])].map((n) => filled(0x10 + n, 20));
  const locktime = picks.next(6) === 5 ? BigInt(time + picks.next(200_000) - 20_000) : 0n;
  return { locktime, threshold: addresses.length > 1 ? 2 : 1, addresses };
}

export const transfer = (asset: Buffer, amount: bigint, owner: Owner, stakeable: bigint | null = null): Output => ({
  asset,
  type: stakeable === null ? 'TransferOutput' : 'StakeableLockOut',
  amount,
  owner,
  stakeable,
  group: 0,
});

const ownerFields = ({ locktime, threshold, addresses }: Owner) => ({ locktime, threshold, addresses });

/** An output as its codec takes it. */
export function wireState({ type, amount, owner, stakeable, group }: Output): object {
  const own = { amount, groupID: group, payload: filled(group, 3), ...ownerFields(owner) };
  if (stakeable === null) return { type, ...own };
  return { type, locktime: stakeable, output: { type: 'TransferOutput', ...own } };
}

export const wireOutput = (output: Output) => ({ assetID: output.asset, output: wireState(output) });

/** An input as its codec takes it. */
export function wireInput({ txId, index, asset, amount, owner, stakeable }: Coin, asLocked: boolean): object {
  const input = {
    type: 'TransferInput',
    amount,
    signatureIndices: Array.from({ length: owner.threshold }, (_, i) => i),
  };
  const locked = { type: 'StakeableLockIn', locktime: stakeable, input };
  return { txID: txId, outputIndex: index, assetID: asset, input: asLocked ? locked : input };
}
