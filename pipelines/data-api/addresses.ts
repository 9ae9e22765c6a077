import { z } from 'zod';
import { FirnError, isBech32Address, isEvmAddress, type NetworkFacts } from '../../src/index.ts';
import { mistyped, wrongAddress } from './evmAddress.ts';

/** Addresses that one request must name together: a multisig output shows only when enough of its owners are asked. */
export type AddressGroup = readonly string[];

/** `addresses` of Primary Network streams. */
export const primaryAddresses = z
  .array(z.string().min(1))
  .min(1)
  .describe('Addresses with or without X- or P- in front; "a,b" keeps a and b in one request.');

const bech32 = /^(?:[pxc]-)?([a-z0-9]+1[02-9ac-hj-np-z]{6,})$/;

/**
 * Reads the configured addresses: lower case, without the chain's prefix, as answers give them, and each group once.
 *
 * @throws FirnError `config` naming what is not an address, or one of another public network
 */
export function addressGroups(
  configured: readonly string[],
  { hrp }: Pick<NetworkFacts, 'hrp'>,
): readonly AddressGroup[] {
  const read = configured.map((entry) =>
    entry
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => bareAddress(part, hrp)),
  );
  const groups = [...new Map(read.map((group) => [group.join(), group])).values()];
  if (groups.every((group) => group.length === 0)) throw new FirnError('config', 'The list of addresses is empty.');
  return groups.filter((group) => group.length > 0);
}

/** Prefixes of networks whose addresses nobody takes for those of a private one. */
const publicPrefixes = ['avax', 'fuji'];

function bareAddress(address: string, hrp: string): string {
  const lower = address.toLowerCase();
  // Hex digits and a 1 among them look like a Primary Network address, too.
  const bare = lower.startsWith('0x') ? (isEvmAddress(address) ? lower : undefined) : bech32.exec(lower)?.[1];
  // A service may answer with no rows for it.
  const prefix = bare?.slice(0, bare.lastIndexOf('1')) ?? '';
  if (publicPrefixes.includes(prefix) && publicPrefixes.includes(hrp) && prefix !== hrp)
    throw wrongAddress(address, `is of another network: addresses of this one begin with ${hrp}1.`);
  if (bare && (bare.startsWith('0x') || isBech32Address(bare))) return bare;
  throw wrongAddress(
    address,
    bare
      ? 'is not an address: its checksum does not hold. A letter may be mistyped: copy it again.'
      : `is neither a Primary Network address (avax1…, P-avax1…) nor a 0x address${mistyped(address)}.`,
  );
}

/** Only the C-Chain's atomic transactions know 0x addresses. */
export function withoutEvm(groups: readonly AddressGroup[]): readonly AddressGroup[] {
  return groups
    .map((group) => group.filter((address) => !address.startsWith('0x')))
    .filter((group) => group.length > 0);
}

interface Limits {
  readonly addresses: number;
  /** Characters of the comma list. */
  readonly length: number;
}

/** A comma list inside a URL: as many addresses as the service takes, in a URL as long as servers take. */
export const urlLimits: Limits = { addresses: 64, length: 4000 };

/** A comma list inside a body. */
export const bodyLimits: Limits = { addresses: 1024, length: 64_000 };

/** Packs groups into as few requests as the limits allow. A group is split only where it alone exceeds them. */
export function packGroups(groups: readonly AddressGroup[], limits: Limits): readonly (readonly string[])[] {
  const requests: string[][] = [];
  let open: string[] = [];
  const fits = (list: readonly string[]) => list.length <= limits.addresses && list.join(',').length <= limits.length;
  const close = () => {
    if (open.length > 0) requests.push(open);
    open = [];
  };
  for (const group of groups.map((addresses) => [...new Set(addresses)])) {
    const fresh = group.filter((address) => !open.includes(address));
    if (fits([...open, ...fresh])) {
      open.push(...fresh);
      continue;
    }
    close();
    if (fits(group)) open = group;
    else {
      for (const address of group) {
        if (!fits([...open, address])) close();
        open.push(address);
      }
      close();
    }
  }
  close();
  return requests;
}

/** The comma lists of the requests for groups; one request without a list where there are no groups. */
export const commaLists = (groups: readonly AddressGroup[] | undefined): readonly (string | undefined)[] =>
  groups ? packGroups(groups, urlLimits).map((list) => list.join(',')) : [undefined];

/** What `plan` says of a list that the limits split into several requests. @param what the words for what it lists */
export function splitNotes(
  groups: readonly AddressGroup[] | undefined,
  limits: Limits,
  what = 'addresses',
): readonly string[] {
  if (!groups) return [];
  const requests = packGroups(groups, limits).length;
  if (requests < 2) return [];
  const total = new Set(groups.flat()).size;
  const torn = groups.filter((group) => packGroups([group], limits).length > 1).length;
  const together = torn > 0 ? `; ${torn} configured groups are too long to stay together` : '';
  return [`${total} ${what} take ${requests} requests (at most ${limits.addresses} ${what} each)${together}`];
}

/** The name of a set of addresses in a partition's identity: all of them where they are few, else their number and a checksum. */
export function addressDigest(groups: readonly AddressGroup[]): string {
  const sorted = groups.map((group) => [...group].sort().join('+')).sort();
  const whole = sorted.join(' ');
  return whole.length <= 200 ? whole : `${sorted.length} of ${fnv64(whole)}`;
}

/** 64-bit FNV-1a, hex: tells lists apart, protects nothing. */
function fnv64(words: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < words.length; i++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(words.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
