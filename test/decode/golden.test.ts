import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Codec } from '../../src/decode/avalanche/codec.ts';
import { decodeEnvelope } from '../../src/decode/avalanche/envelope.ts';
import { decodeExtraData } from '../../src/decode/avalanche/extraData.ts';
import { decodePBlock, pBlock, pBlockJson, pTransactionsOf } from '../../src/decode/avalanche/pBlock.ts';
import { pUnsignedTx } from '../../src/decode/avalanche/pTransactions.ts';
import { utxoId } from '../../src/decode/avalanche/signedTx.ts';
import { decodeXBlock, xBlock } from '../../src/decode/avalanche/xBlock.ts';
import { xTx, xUnsignedTx } from '../../src/decode/avalanche/xTransactions.ts';
import { decodeXVertex } from '../../src/decode/avalanche/xVertex.ts';
import { ByteReader } from '../../src/decode/bytes/byteReader.ts';
import { decodeCb58, encodeCb58 } from '../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../src/decode/bytes/hashes.ts';
import { fromHex, toHex } from '../../src/decode/bytes/hex.ts';
import { decodeHexChecksum } from '../../src/decode/bytes/hexChecksum.ts';
import { some } from '../some.ts';
import { decodedRows } from './decodedRows.ts';
import { encode } from './encode.ts';
import { encodeExtraData, encodeXVertex } from './encoders.ts';
import { canonical, listFiles, type Recorded, readChain, readJson, readLines } from './recordedLedger.ts';

/** A value of a wire type from the node's JSON: the opposite of the codec's own JSON view, guided by its shape. */
function valueOfJson(codec: Codec<unknown>, json: Recorded): unknown {
  const { shape } = codec;
  switch (shape.kind) {
    case 'u64':
      return BigInt(json);
    case 'list':
      return json.map((item: Recorded) => valueOfJson(shape.item, item));
    case 'struct':
      return membersOfJson(shape.fields, json);
    case 'union': {
      // JSON does not say the type: it is the variant that has just these members.
      const members = Object.keys(json).sort().join();
      const found = Object.entries(shape.variants).find(
        ([, [, fields]]) => Object.keys(fields).sort().join() === members,
      );
      if (!found) throw new TypeError(`no variant has the members ${members}`);
      return { type: found[0], ...membersOfJson(found[1][1], json) };
    }
    case 'bytes':
    case 'fixed':
      return bytesOfJson(json);
    default:
      return json;
  }
}

function membersOfJson(fields: Readonly<Record<string, Codec<unknown>>>, json: Recorded) {
  return Object.fromEntries(Object.entries(fields).map(([name, codec]) => [name, valueOfJson(codec, json[name])]));
}

function bytesOfJson(text: string): Buffer {
  if (text.startsWith('0x')) return fromHex(text);
  if (text.startsWith('NodeID-')) return decodeCb58(text.slice('NodeID-'.length));
  return text.startsWith('P-') ? Buffer.from(bech32.decodeToBytes(text.slice(2)).bytes) : decodeCb58(text);
}

describe('the golden transactions of avalanchego', () => {
  const folder = 'test/fixtures/platform-golden';

  test.each(listFiles(folder))('%s has the same JSON after encoding and decoding', (name) => {
    const json = readJson(`${folder}/${name}`);
    const reader = new ByteReader(encode(pUnsignedTx, valueOfJson(pUnsignedTx, json) as never));
    const tx = pUnsignedTx.read(reader, 'the transaction');
    reader.end('the transaction');
    expect(name).toContain(tx.type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(canonical(pUnsignedTx.json(tx, { chain: 'P', hrp: 'avax' }))).toBe(canonical(json));
  });
});

describe("blocks of avalanchego's own codec", () => {
  const linesOf = (chain: string) => readLines('test/fixtures/avalanchego-codec', `${chain}-blocks`);
  const blocks = {
    p: linesOf('p').map(({ bytes, json, type }) => {
      const inner = decodeHexChecksum(bytes);
      const block = decodePBlock(inner);
      expect(block.type).toBe(type);
      return {
        json,
        inner,
        shown: pBlockJson(block, inner, 'local'),
        again: encode(pBlock, block, 0),
        txs: pTransactionsOf(block),
      };
    }),
    x: linesOf('x').map(({ bytes, json }) => {
      const inner = decodeHexChecksum(bytes);
      const block = decodeXBlock(inner);
      const shown = { ...(xBlock.json(block, { chain: 'X', hrp: 'local' }) as object), id: encodeCb58(sha256(inner)) };
      return { json, inner, shown, again: encode(xBlock, block, 0), txs: block.txs };
    }),
  };

  test.each(['p', 'x'] as const)('%s: each has the same JSON, and encodes again', (chain) => {
    for (const { json, inner, shown, again } of blocks[chain]) {
      expect(canonical(shown)).toBe(canonical(json));
      expect(again.equals(inner)).toBe(true);
    }
  });

  test('transactions of every type are among them', () => {
    const typesOf = (codec: { shape: { kind: string } }) => Object.keys((codec.shape as Recorded).variants);
    const found = new Set(
      [...blocks.p, ...blocks.x].flatMap(({ txs }) => txs.map(({ unsignedTx }) => unsignedTx.type)),
    );
    expect([...found].sort()).toEqual([...new Set([...typesOf(pUnsignedTx), ...typesOf(xUnsignedTx)])].sort());
  });
});

describe('recorded extra data of mainnet', () => {
  test('decodes to what an independent decoder found, and encodes again', () => {
    const recorded = readJson('test/fixtures/c-chain-atomic/cchain_blockExtraData_atomic_47.json');
    expect(recorded.length).toBeGreaterThan(0);
    for (const { hexData, expected } of recorded) {
      const bytes = fromHex(hexData);
      const { txs } = decodeExtraData(bytes);
      expect(encodeExtraData({ form: 'batch', txs }).equals(bytes)).toBe(true);
      expect(bytes.length).toBe(expected.dataLength);
      expect(txs.length).toBe(expected.txCount);
      txs.forEach(({ id, unsignedTx, credentials }, index) => {
        const known = expected.transactions[index];
        expect(toHex(id)).toBe(known.id);
        expect(unsignedTx.type).toBe(known.type);
        expect(unsignedTx.networkID).toBe(known.networkId);
        expect(credentials.length).toBe(known.credentialCount);
        const amounts = (items: readonly { amount: unknown }[]) => items.map(({ amount }) => BigInt(amount as bigint));
        if (unsignedTx.type === 'ExportTx') {
          expect(toHex(unsignedTx.destinationChain)).toBe(known.destinationChain);
          expect(amounts(unsignedTx.inputs)).toEqual(amounts(known.inputs));
          expect(unsignedTx.inputs.map(({ nonce }) => Number(nonce))).toEqual(
            known.inputs.map(({ nonce }: Recorded) => nonce),
          );
          const outputs = unsignedTx.exportedOutputs.map(({ output }) => ({
            amount: output.type === 'TransferOutput' ? output.amount : null,
          }));
          expect(amounts(outputs)).toEqual(amounts(known.outputs));
        } else {
          expect(toHex(unsignedTx.sourceChain)).toBe(known.sourceChain);
          expect(amounts(unsignedTx.outputs)).toEqual(amounts(known.outputs));
        }
      });
    }
    expect(recorded.length).toBe(47);
  });
});

describe('recorded UTXOs of the X-Chain', () => {
  test('have the ids that index and transaction give', () => {
    const folder = 'test/fixtures/x-chain-recorded';
    const utxos = listFiles(folder).flatMap((name) => {
      const { consumedUtxos, emittedUtxos } = readJson(`${folder}/${name}`);
      return [...consumedUtxos, ...emittedUtxos];
    });
    for (const { utxoId: id, creationTxHash, outputIndex } of some(utxos)) {
      expect(encodeCb58(utxoId(decodeCb58(creationTxHash), Number(outputIndex)))).toBe(id);
    }
    expect(utxos.length).toBe(8);
  });
});

describe('the X-Chain before it was linear', () => {
  // No recording has vertices: these are made of transactions that one has.
  const blocks = readChain('devnet/ledger', 'x').slice(10, 40);
  const txs = blocks.flatMap(({ container }) => {
    const block = decodeXBlock(decodeEnvelope(decodeHexChecksum(container.bytes)).inner);
    return block.txs.map((tx) => encode(xTx, tx, 0));
  });
  const ids = blocks.flatMap(({ json }) => json.block.txs.map((tx: Recorded) => tx.id));

  test('gives the rows of loose transactions', () => {
    for (const [at, bytes] of some(txs.entries())) {
      const rows = decodedRows('X/tx', bytes);
      expect(rows).toMatchObject({ id: ids[at], parentId: null, blocks: [], vertices: [] });
      expect(rows['transactions']).toMatchObject([{ tx_id: ids[at], block_height: null, block_timestamp: null }]);
      expect(rows['outputs'].length).toBeGreaterThan(0);
    }
    expect(txs.length).toBeGreaterThan(29);
  });

  test('gives the rows of vertices', () => {
    const chainID = Buffer.alloc(32, 1);
    const parentIDs = [Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
    const vertex = encodeXVertex({ chainID, height: 7n, epoch: 0, parentIDs, txs: txs.slice(0, 3) });
    const rows = decodedRows('X/vtx', vertex);
    expect(rows).toMatchObject({
      id: encodeCb58(sha256(vertex)),
      blocks: [],
      vertices: [
        {
          vertex_id: encodeCb58(sha256(vertex)),
          height: 7,
          is_stop: false,
          transaction_count: 3,
          size: vertex.length,
        },
      ],
    });
    expect(rows['transactions']).toMatchObject(ids.slice(0, 3).map((tx_id) => ({ tx_id })));
    const stop = encodeXVertex({ chainID, height: 8n, epoch: null, parentIDs, txs: null });
    expect(decodedRows('X/vtx', stop)).toMatchObject({
      vertices: [{ height: 8, is_stop: true, parent_ids: parentIDs.map(encodeCb58) }],
      transactions: [],
    });
  });

  test('has vertices that come back from any members', () => {
    const bytes = (minLength: number, maxLength: number) =>
      fc.uint8Array({ minLength, maxLength }).map((value) => Buffer.from(value));
    const vertex = fc.record({
      chainID: bytes(32, 32),
      height: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      parentIDs: fc.array(bytes(32, 32), { maxLength: 4 }),
      txs: fc.option(fc.array(bytes(0, 50), { maxLength: 3 })),
    });
    fc.assert(
      fc.property(vertex, (value) => {
        const whole = { ...value, epoch: value.txs ? 0 : null };
        expect(decodeXVertex(encodeXVertex(whole))).toEqual(whole);
      }),
    );
  });
});
