import { describe, expect, test } from 'vitest';
import { decodeEnvelope } from '../../src/decode/avalanche/envelope.ts';
import { decodeExtraData } from '../../src/decode/avalanche/extraData.ts';
import { decodePBlock, pBlock, pBlockJson } from '../../src/decode/avalanche/pBlock.ts';
import { decodeXBlock, xBlock } from '../../src/decode/avalanche/xBlock.ts';
import { encodeCb58 } from '../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../src/decode/bytes/hashes.ts';
import { fromHex, toHex } from '../../src/decode/bytes/hex.ts';
import { decodeHexChecksum, encodeHexChecksum } from '../../src/decode/bytes/hexChecksum.ts';
import { decodeEvmBlock } from '../../src/decode/evm/evmBlock.ts';
import { some } from '../some.ts';
import { encode } from './encode.ts';
import { encodeEnvelope, encodeEvmBlock, encodeExtraData } from './encoders.ts';
import { canonical, LEDGERS, readChain, readLines } from './recordedLedger.ts';

const CHAINS = ['c', 'p', 'x'] as const;

/** Containers by form, as the READMEs of the ledgers count them. */
const FORMS: Record<string, Record<(typeof CHAINS)[number], Record<string, number>>> = {
  'devnet/ledger': {
    c: { block: 1490, granite: 2048 },
    p: { block: 589, option: 22, granite: 791 },
    x: { block: 602, granite: 698 },
  },
  'test/fixtures/node-ledger-signed': {
    c: { block: 52, granite: 41 },
    p: { block: 29, option: 2, granite: 23 },
    x: { block: 28, granite: 26 },
  },
  'test/fixtures/node-ledger-forks': {
    c: { raw: 39, block: 57, granite: 10 },
    p: { raw: 63, block: 131, option: 49, granite: 14 },
    x: { raw: 8, block: 38, granite: 10 },
  },
};

describe.each(LEDGERS)('%s', (ledger) => {
  test.each(CHAINS)('takes the envelope off every container of %s and puts it back', (chain) => {
    let parent: string | null = null;
    const forms: Record<string, number> = {};
    for (const { container } of some(readChain(ledger, chain))) {
      const bytes = decodeHexChecksum(container.bytes);
      const envelope = decodeEnvelope(bytes);
      // The id of a bare block is the hash of its header on the C-Chain, of all its bytes on the others.
      const bareId = () =>
        chain === 'c' ? fromHex(decodeEvmBlock(envelope.inner).header.hash) : sha256(envelope.inner);
      expect(encodeCb58(envelope.form === 'raw' ? bareId() : envelope.id)).toBe(container.id);
      forms[envelope.form] = (forms[envelope.form] ?? 0) + 1;
      if (envelope.form !== 'raw' && parent !== null) expect(encodeCb58(envelope.parentId)).toBe(parent);
      parent = container.id;
      expect(encodeEnvelope(envelope).equals(bytes)).toBe(true);
      expect(encodeHexChecksum(bytes)).toBe(container.bytes);
    }
    expect(forms).toEqual(FORMS[ledger]?.[chain]);
  });

  test('decodes C-Chain blocks to the hashes of the node and encodes them again', { tags: 'long' }, () => {
    for (const { container, block } of some(readChain(ledger, 'c'))) {
      const { inner } = decodeEnvelope(decodeHexChecksum(container.bytes));
      const decoded = decodeEvmBlock(inner);
      expect(decoded.header.hash).toBe(block.hash);
      expect(decoded.transactions.map((tx) => tx.hash)).toEqual(
        block.transactions.map((tx: { hash: string }) => tx.hash),
      );
      expect(toHex(decoded.extraData ?? Buffer.alloc(0))).toBe(block.blockExtraData ?? '0x');
      expect(encodeEvmBlock(decoded).equals(inner)).toBe(true);
    }
  });

  test('decodes P-Chain blocks to the JSON of the node and encodes them again', () => {
    for (const { container, json, hex } of some(readChain(ledger, 'p'))) {
      const { inner } = decodeEnvelope(decodeHexChecksum(container.bytes));
      expect(encodeHexChecksum(inner)).toBe(hex.block);
      const block = decodePBlock(inner);
      expect(canonical(pBlockJson(block, inner, 'local'))).toBe(canonical(json.block));
      expect(encode(pBlock, block, 0).equals(inner)).toBe(true);
    }
  });

  test('decodes X-Chain blocks to the JSON of the node and encodes them again', () => {
    for (const { container, json, hex } of some(readChain(ledger, 'x'))) {
      const { inner } = decodeEnvelope(decodeHexChecksum(container.bytes));
      expect(encodeHexChecksum(inner)).toBe(hex.block);
      const block = decodeXBlock(inner);
      const shown = xBlock.json(block, { chain: 'X', hrp: 'local' }) as object;
      expect(canonical({ ...shown, id: encodeCb58(sha256(inner)) })).toBe(canonical(json.block));
      expect(encode(xBlock, block, 0).equals(inner)).toBe(true);
    }
  });

  test('decodes the atomic transactions of C-Chain blocks to the ids of the node', () => {
    const expected = new Map<number, string[]>();
    for (const { number, txID } of some(readLines(ledger, 'c-atomic'))) {
      expected.set(number, [...(expected.get(number) ?? []), txID]);
    }
    for (const { number, container } of some(readChain(ledger, 'c'))) {
      const { extraData } = decodeEvmBlock(decodeEnvelope(decodeHexChecksum(container.bytes)).inner);
      const bytes = extraData ?? Buffer.alloc(0);
      const decoded = decodeExtraData(bytes);
      expect(decoded.txs.map((tx) => encodeCb58(tx.id))).toEqual(expected.get(number) ?? []);
      expect(encodeExtraData(decoded).equals(bytes)).toBe(true);
    }
  });
});
