import { BlockList, isIP } from 'node:net';

/**
 * What the IANA registries of special-purpose addresses set apart, the narrower range first. IPv6 ranges that embed IPv4 are below.
 * 168.63.129.16 is in no registry: it is where Azure's machines reach the platform itself.
 */
const special: readonly (readonly [what: string, ...ranges: string[]])[] = [
  ['an unspecified address', '0.0.0.0/8', '::/128'],
  ['an address of this machine', '127.0.0.0/8', '::1/128'],
  ['a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  ["an address inside a provider's network", '100.64.0.0/10', '168.63.129.16/32'],
  ['a link-local address', '169.254.0.0/16', 'fe80::/10'],
  ['a multicast address', '224.0.0.0/4', 'ff00::/8'],
  ['a broadcast address', '255.255.255.255/32'],
  ['an address for documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['an address for benchmarks', '198.18.0.0/15', '2001:2::/48'],
  ['an address of a tunnel (6to4, Teredo)', '192.88.99.0/24', '2002::/16', '2001::/32'],
  ['a reserved address', '192.0.0.0/24', '240.0.0.0/4', '::/96', '2001::/23'],
];

/** IPv6 that leads to IPv4 addresses: mapped, and translated (NAT64). They are judged by the address inside. */
const embedding = ['::ffff:', '64:ff9b::'];

const lists = special.map(([what, ...ranges]) => [what, blockList(ranges)] as const);
/** The only part of IPv6 that is assigned to anybody. */
const assigned = blockList(['2000::/3', ...embedding.map((prefix) => `${prefix}0.0.0.0/96`)]);

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', length] = range.split('/');
    const bits = Number(length);
    if (net.includes(':')) list.addSubnet(net, bits, 'ipv6');
    else {
      list.addSubnet(net, bits, 'ipv4');
      for (const prefix of embedding) list.addSubnet(`${prefix}${net}`, 96 + bits, 'ipv6');
    }
  }
  return list;
}

/** Why an IP address does not belong to the public internet, such as `a private address`; undefined where it is one. */
export function notPublic(address: string): string | undefined {
  // Link-local addresses may come with their interface: fe80::1%eth0
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  if (family === 0) return 'no IP address';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const found = lists.find(([, list]) => list.check(plain, type));
  if (found) return found[0];
  return type === 'ipv6' && !assigned.check(plain, type) ? 'a reserved address' : undefined;
}
