import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { decodeEnvelope } from '../../src/decode/avalanche/envelope.ts';
import { decodeExtraData } from '../../src/decode/avalanche/extraData.ts';
import { decodePBlock, pBlock } from '../../src/decode/avalanche/pBlock.ts';
import { verifySignature } from '../../src/decode/avalanche/verifySignature.ts';
import { decodeXBlock, xBlock } from '../../src/decode/avalanche/xBlock.ts';
import { decodeHexChecksum } from '../../src/decode/bytes/hexChecksum.ts';
import { type ContainerIndex, decodeContainer } from '../../src/decode/containers/decodeContainer.ts';
import { decodeEvmBlock } from '../../src/decode/evm/evmBlock.ts';
import { recoverSenders } from '../../src/decode/senders/recoverSenders.ts';
import { fuzzRuns } from '../fuzzRuns.ts';
import { some } from '../some.ts';
import { emptyTables } from './decodedRows.ts';
import { encode } from './encode.ts';
import { encodeEnvelope, encodeEvmBlock, encodeExtraData } from './encoders.ts';
import { LEDGERS, readChain } from './recordedLedger.ts';

const tables = emptyTables();

/** The value, or undefined if the bytes were refused in the one way in which they may be. */
function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof FirnError && error.code === 'decode') return undefined;
    throw error;
  }
}

const chains = ['c', 'p', 'x'] as const;
const samples = chains.flatMap((chain) =>
  LEDGERS.flatMap((ledger) => {
    const lines = readChain(ledger, chain);
    // One of each length is variety enough: equal lengths are mostly equal kinds.
    const byLength = new Map<number, Buffer>();
    for (const { container } of lines) byLength.set(container.bytes.length, decodeHexChecksum(container.bytes));
    return [...byLength.values()].map((bytes) => ({ chain, bytes }));
  }),
);

const sample = fc.nat(samples.length - 1).map((at) => samples[at] as (typeof samples)[number]);
/** One to four bytes changed, or a piece cut out, or bytes put in. */
const mutated = fc
  .tuple(
    sample,
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    fc.nat(),
    fc.nat(8),
    fc.uint8Array({ maxLength: 8 }),
  )
  .map(([{ chain, bytes }, changes, at, cut, added]) => {
    const copy = Buffer.from(bytes);
    for (const [where, value] of changes) copy[where % copy.length] = value;
    const start = at % copy.length;
    return { chain, bytes: Buffer.concat([copy.subarray(0, start), added, copy.subarray(start + cut)]) };
  });

function expectSoundness(chain: (typeof chains)[number], bytes: Buffer) {
  const index = `${chain.toUpperCase()}/block` as ContainerIndex;
  unlessRefused(() => decodeContainer({ index, bytes, hrp: 'local' }, tables));
  const envelope = unlessRefused(() => decodeEnvelope(bytes));
  if (!envelope) return;
  expect(encodeEnvelope(envelope).equals(bytes)).toBe(true);
  unlessRefused(() => verifySignature(envelope, Buffer.alloc(32)));
  const { inner } = envelope;
  if (chain === 'p') {
    const block = unlessRefused(() => decodePBlock(inner));
    if (block) expect(encode(pBlock, block, 0).equals(inner)).toBe(true);
  } else if (chain === 'x') {
    const block = unlessRefused(() => decodeXBlock(inner));
    if (block) expect(encode(xBlock, block, 0).equals(inner)).toBe(true);
  } else {
    const block = unlessRefused(() => decodeEvmBlock(inner));
    if (!block) return;
    expect(encodeEvmBlock(block).equals(inner)).toBe(true);
    recoverSenders(block.transactions.slice(0, 3).map((tx) => tx.raw));
    const extraData = unlessRefused(() => decodeExtraData(block.extraData ?? Buffer.alloc(0)));
    if (extraData) expect(encodeExtraData(extraData).equals(block.extraData ?? Buffer.alloc(0))).toBe(true);
  }
}

describe('bytes that are not what they should be', () => {
  test('are refused or decoded to what encodes to the same bytes, when changed', { tags: 'long' }, () => {
    fc.assert(
      fc.property(mutated, ({ chain, bytes }) => expectSoundness(chain, bytes)),
      { numRuns: fuzzRuns(2500) },
    );
  });

  test('are refused or decoded to what encodes to the same bytes, when cut', () => {
    fc.assert(
      fc.property(sample, fc.nat(), ({ chain, bytes }, at) =>
        expectSoundness(chain, bytes.subarray(0, at % bytes.length)),
      ),
      { numRuns: fuzzRuns(1000) },
    );
  });

  test('are refused or decoded, when random', () => {
    const index = fc.constantFrom<ContainerIndex>('C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx');
    fc.assert(
      fc.property(index, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
        unlessRefused(() => decodeContainer({ index: name, bytes, hrp: 'local' }, tables));
      }),
      { numRuns: fuzzRuns(1000) },
    );
  });

  test('of one chain are refused as those of another', () => {
    const names = { c: 'C/block', p: 'P/block', x: 'X/block' } as const;
    for (const { chain, bytes } of some(samples.filter((_, i) => i % 20 === 0))) {
      for (const other of chains.filter((name) => name !== chain)) {
        expect(
          unlessRefused(() => decodeContainer({ index: names[other], bytes, hrp: 'local' }, tables)),
        ).toBeUndefined();
      }
    }
  });

  test('say what is wrong with them as an envelope and as a bare block', () => {
    const bytes = samples[0]?.bytes.subarray(0, 80) as Buffer;
    expect(() => decodeContainer({ index: 'C/block', bytes, hrp: 'local' }, tables)).toThrow(
      /^Neither an envelope \(Expected .*\(byte offset \d+\)\) nor a bare block: Expected .* \(byte offset \d+\)$/,
    );
    expect(() => decodeContainer({ index: 'P/block', bytes: new Uint8Array(), hrp: 'local' }, tables)).toThrow(
      'is empty',
    );
  });
});
