import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notPublic } from '../../../src/extract/download/notPublic.ts';

test.each([
  ['0.0.0.0', 'an unspecified address'],
  ['0.1.2.3', 'an unspecified address'],
  ['127.0.0.1', 'an address of this machine'],
  ['127.255.255.255', 'an address of this machine'],
  ['10.0.0.7', 'a private address'],
  ['172.16.0.0', 'a private address'],
  ['172.31.255.255', 'a private address'],
  ['192.168.1.1', 'a private address'],
  ['100.64.0.1', "an address inside a provider's network"],
  ['100.127.255.255', "an address inside a provider's network"],
  ['168.63.129.16', "an address inside a provider's network"],
  ['169.254.169.254', 'a link-local address'],
  ['192.0.0.192', 'a reserved address'],
  ['192.0.2.1', 'an address for documentation'],
  ['198.51.100.1', 'an address for documentation'],
  ['203.0.113.255', 'an address for documentation'],
  ['198.18.0.1', 'an address for benchmarks'],
  ['198.19.255.255', 'an address for benchmarks'],
  ['192.88.99.1', 'an address of a tunnel (6to4, Teredo)'],
  ['224.0.0.1', 'a multicast address'],
  ['239.255.255.255', 'a multicast address'],
  ['240.0.0.1', 'a reserved address'],
  ['255.255.255.255', 'a broadcast address'],
  ['::', 'an unspecified address'],
  ['::1', 'an address of this machine'],
  ['0:0:0:0:0:0:0:1', 'an address of this machine'],
  ['::ffff:127.0.0.1', 'an address of this machine'],
  ['::ffff:a00:7', 'a private address'],
  ['::ffff:0:7f00:1', 'a reserved address'],
  ['::127.0.0.1', 'a reserved address'],
  ['64:ff9b::10.0.0.7', 'a private address'],
  ['64:ff9b::a9fe:a9fe', 'a link-local address'],
  ['64:ff9b:1::808:808', 'a reserved address'],
  ['100::1', 'a reserved address'],
  ['2001:0:7f00:1::', 'an address of a tunnel (6to4, Teredo)'],
  ['2001::8080:808:f5ff:fff8', 'an address of a tunnel (6to4, Teredo)'],
  ['2002:7f00:1::', 'an address of a tunnel (6to4, Teredo)'],
  ['2002:a00:7::1', 'an address of a tunnel (6to4, Teredo)'],
  ['2001:2::1', 'an address for benchmarks'],
  ['2001:20::1', 'a reserved address'],
  ['2001:db8::1', 'an address for documentation'],
  ['3fff:fff::1', 'an address for documentation'],
  ['4000::1', 'a reserved address'],
  ['5f00::1', 'a reserved address'],
  ['fc00::1', 'a private address'],
  ['fd00:ec2::254', 'a private address'],
  ['fe80::1', 'a link-local address'],
  ['fe80::1%eth0', 'a link-local address'],
  ['febf::1', 'a link-local address'],
  ['fec0::1', 'a private address'],
  ['ff02::1', 'a multicast address'],
  ['storage.example', 'no IP address'],
  ['', 'no IP address'],
])('%s is %s', (address, what) => {
  expect(notPublic(address)).toBe(what);
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '3ffe::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(notPublic(address)).toBeUndefined();
});

test('IPv4 inside IPv6 is what it is by itself, in every form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const form of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${address}`, `64:ff9b::${hex}`]) {
        expect(notPublic(form)).toBe(notPublic(address));
      }
    }),
  );
});

test('of other IPv6 nothing outside of 2000::/3 is public', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const first = Number.parseInt(address.split(':')[0] || '0', 16);
      fc.pre(first !== 0 && first !== 0x64);
      if (first < 0x2000 || first > 0x3fff) expect(notPublic(address)).toBeDefined();
    }),
  );
});
