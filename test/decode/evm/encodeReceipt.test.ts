import { expect, test } from 'vitest';
import { encodeReceipt } from '../../../src/decode/evm/encodeReceipt.ts';
import { listRoot } from '../../../src/decode/evm/listRoot.ts';
import { RlpReader } from '../../../src/decode/evm/rlpReader.ts';
import { readTree } from './rlpTree.ts';

test('a receipt from before Byzantium has a state root in place of its status', () => {
  // Of the first block of Ethereum with a transaction, 46147.
  const receipt = encodeReceipt({
    type: 0,
    status: null,
    root: '0x96a8e009d2b88b1483e6941e6812e32263b05683fac202abc622a3e31aed1957',
    cumulativeGasUsed: 21_000n,
    bloom: new Uint8Array(256),
    logs: [],
  });
  expect(`0x${listRoot([receipt]).toString('hex')}`).toBe(
    '0xfe2bf2a941abf41d72637e5b91750332a30283efd40c424dc522b77e6f0ed8c4',
  );
});

test.each([0, 1, 2, 3])('a receipt of type %i has all its logs, behind the type', (type) => {
  const [address, ...topics] = [20, 32, 32, 32, 32].map((length, i) => Buffer.alloc(length, i)) as [
    Buffer,
    ...Buffer[],
  ];
  const log = { address, topics, data: Buffer.from('abcd', 'hex') };
  const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`;
  const ends = { ...log, topics: [], data: Buffer.alloc(0) };
  const bytes = encodeReceipt({
    type,
    status: 1,
    root: null,
    cumulativeGasUsed: 300n,
    bloom: Buffer.alloc(256, 7),
    logs: [log, ends].map(({ address, topics, data }) => ({
      address: hex(address),
      topics: topics.map(hex),
      data: hex(data),
    })),
  });
  expect(type === 0 || bytes[0] === type).toBe(true);
  expect(readTree(new RlpReader(bytes, type === 0 ? 0 : 1))).toEqual([
    Buffer.of(1),
    Buffer.from('012c', 'hex'),
    Buffer.alloc(256, 7),
    [log, ends].map(({ address, topics, data }) => [address, topics, data]),
  ]);
});
