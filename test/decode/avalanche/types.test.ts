import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Codec } from '../../../src/decode/avalanche/codec.ts';
import { atomicUnsignedTx } from '../../../src/decode/avalanche/extraData.ts';
import { pBlock } from '../../../src/decode/avalanche/pBlock.ts';
import { pTx, pUnsignedTx } from '../../../src/decode/avalanche/pTransactions.ts';
import { xBlock } from '../../../src/decode/avalanche/xBlock.ts';
import { xOperation, xOutput, xTx, xUnsignedTx } from '../../../src/decode/avalanche/xTransactions.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { ByteReader } from '../../../src/decode/bytes/byteReader.ts';
import { encodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { encode } from '../encode.ts';
import { canonical } from '../recordedLedger.ts';
import { arbitraryVariant } from './arbitraryValue.ts';

const view = { chain: 'P', hrp: 'local' };

/** The JSON view without the ids of transactions, which only decoding computes. */
const json = (codec: Codec<unknown>, value: unknown) =>
  canonical(codec.json(value, view)).replaceAll(/"id":"[^"]*"/g, '');

function decode(codec: Codec<unknown>, bytes: Uint8Array): unknown {
  const reader = new ByteReader(bytes);
  const value = codec.read(reader, 'value');
  reader.end('the value');
  return value;
}

const unions: [string, Codec<unknown>][] = [
  ['P-Chain transaction', pUnsignedTx],
  ['P-Chain block', pBlock],
  ['X-Chain transaction', xUnsignedTx],
  ['X-Chain block', xBlock],
  ['X-Chain output', xOutput],
  ['X-Chain operation', xOperation],
  ['atomic transaction', atomicUnsignedTx],
];
const variants = unions.flatMap(([what, codec]) => {
  const { shape } = codec;
  if (shape.kind !== 'union') throw new TypeError(`${what} is no union`);
  return Object.entries(shape.variants).map(([type, [typeId, fields]]) => ({ what, codec, type, typeId, fields }));
});

describe('every type on the wire', () => {
  test('has its known type id', () => {
    const ids = (what: string) => variants.filter((variant) => variant.what === what).map(({ typeId }) => typeId);
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    expect(ids('P-Chain transaction')).toEqual([...range(12, 20), ...range(23, 26), ...range(33, 42)]);
    expect(ids('P-Chain block')).toEqual([...range(0, 4), ...range(29, 32)]);
    expect(ids('X-Chain transaction')).toEqual(range(0, 4));
    expect(ids('X-Chain output')).toEqual([6, 7, 10, 11, 15, 16]);
    expect(ids('X-Chain operation')).toEqual([8, 12, 13, 17, 18]);
    expect(ids('atomic transaction')).toEqual([0, 1]);
  });

  test.each(variants)('$what $type comes back from any value', ({ codec, type, typeId, fields }) => {
    fc.assert(
      fc.property(arbitraryVariant(type, fields), (value) => {
        const bytes = encode(codec, value);
        expect(bytes.readUInt32BE(0)).toBe(typeId);
        const decoded = decode(codec, bytes);
        expect(encode(codec, decoded).equals(bytes)).toBe(true);
        expect(json(codec, decoded)).toBe(json(codec, value));
      }),
      { numRuns: fuzzRuns(25) },
    );
  });

  test.each(variants)('$what $type ends in an error wherever it is cut', ({ codec, type, fields }) => {
    fc.assert(
      fc.property(arbitraryVariant(type, fields), fc.nat(), (value, at) => {
        const bytes = encode(codec, value);
        expect(() => decode(codec, bytes.subarray(0, at % bytes.length))).toThrow(FirnError);
      }),
      { numRuns: fuzzRuns(25) },
    );
  });

  test('names an unknown type id and where it stands', () => {
    expect(() => decode(pTx, Buffer.from('0000002b', 'hex'))).toThrow(
      'Unknown type id 43 of P-Chain transaction in value (byte offset 0)',
    );
    expect(() => decode(xTx, Buffer.from('00000005', 'hex'))).toThrow('Unknown type id 5 of X-Chain transaction');
  });

  test('does not believe a count that the bytes cannot hold', () => {
    const bytes = Buffer.concat([Buffer.from('00000022', 'hex'), Buffer.alloc(36), Buffer.from('ffffffff', 'hex')]);
    expect(() => decode(pTx, bytes)).toThrow('outputs claims 4294967295 items in 0 bytes (byte offset 44)');
  });

  // No recording holds these three: the bytes are put together here, member by member, as ACP-236 and avalanchego say.
  describe('the auto-renewed validators of Helicon', () => {
    const base = [
      '00003039', // networkID
      '00'.repeat(32), // blockchainID
      '00000000', // outputs
      '00000000', // inputs
      '00000002beef', // memo
    ].join('');
    const owner = (address: string) => `0000000b0000000000000000000000010000000${address.length / 40}${address}`;
    const alice = '11'.repeat(20);
    const bob = '22'.repeat(20);
    const baseJson = {
      networkID: 12345,
      blockchainID: encodeCb58(new Uint8Array(32)),
      outputs: [],
      inputs: [],
      memo: '0xbeef',
    };
    const asset = 'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db';
    const ownerJson = (...addresses: string[]) => ({ locktime: 0n, threshold: 1, addresses });
    const [aliceText, bobText] = [alice, bob].map((hex) => `P-${toBech32(Buffer.from(hex, 'hex'), 'local')}`) as [
      string,
      string,
    ];
    const cases: [string, string, unknown][] = [
      [
        'AddAutoRenewedValidatorTx',
        [
          '00000028',
          base,
          `00000014${'33'.repeat(20)}`, // node id with its length
          `0000001c${'44'.repeat(48)}${'55'.repeat(96)}`, // signer
          `00000001${asset}00000007000000000000002a00000000000000000000000100000001${alice}`, // stake
          owner(alice),
          owner(bob),
          owner(alice + bob),
          '00007530', // delegation shares
          '000f4240', // auto compound reward shares
          '0000000000127500', // period
        ].join(''),
        {
          ...baseJson,
          nodeID: `0x${'33'.repeat(20)}`,
          signer: { publicKey: `0x${'44'.repeat(48)}`, proofOfPossession: `0x${'55'.repeat(96)}` },
          stake: [
            {
              assetID: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
              fxID: 'spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ',
              output: { amount: 42n, ...ownerJson(aliceText) },
            },
          ],
          validationRewardsOwner: ownerJson(aliceText),
          delegationRewardsOwner: ownerJson(bobText),
          validatorAuthority: ownerJson(aliceText, bobText),
          delegationShares: 30000,
          autoCompoundRewardShares: 1000000,
          period: 1209600n,
        },
      ],
      [
        'SetAutoRenewedValidatorConfigTx',
        `00000029${base}${'66'.repeat(32)}0000000a0000000100000000000493e00000000000000000`,
        {
          ...baseJson,
          txID: encodeCb58(Buffer.alloc(32, 0x66)),
          auth: { signatureIndices: [0] },
          autoCompoundRewardShares: 300000,
          period: 0n,
        },
      ],
      [
        'RewardAutoRenewedValidatorTx',
        `0000002a${'66'.repeat(32)}000000006a9f3c00`,
        { txID: encodeCb58(Buffer.alloc(32, 0x66)), timestamp: 1788820480n },
      ],
    ];

    test.each(cases)('%s has the layout of avalanchego', (type, hex, json) => {
      const bytes = Buffer.from(`${hex}00000000`, 'hex');
      const tx = decode(pTx, bytes) as { unsignedTx: { type: string }; id: Buffer };
      expect(tx.unsignedTx.type).toBe(type);
      expect(tx.id.equals(sha256(Buffer.concat([Buffer.alloc(2), bytes])))).toBe(true);
      expect(pUnsignedTx.json(tx.unsignedTx as never, view)).toEqual(json);
      expect(encode(pTx, tx).equals(bytes)).toBe(true);
    });
  });
});
