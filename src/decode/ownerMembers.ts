import { toBech32 } from './address.ts';

/** Who owns something: so many of these addresses must sign, after a time. */
export interface OwnerMembers {
  readonly locktime: bigint;
  readonly threshold: number;
  readonly addresses: readonly Uint8Array[];
}

/** The addresses in bech32, without a chain alias. */
export function addressesOf(owner: Pick<OwnerMembers, 'addresses'>, hrp: string): string[] {
  return owner.addresses.map((address) => toBech32(address, hrp));
}
