import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { decodeEnvelope } from '../../../src/decode/avalanche/envelope.ts';
import { keccak256Hex } from '../../../src/decode/bytes/hashes.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { decodeEvmBlock } from '../../../src/decode/evm/evmBlock.ts';
import {
  type EvmHeader,
  type EvmKind,
  encodeEvmHeader,
  evmHeader,
  readHeaderFields,
} from '../../../src/decode/evm/evmHeader.ts';
import {
  decodeEvmTransaction,
  type EvmTransaction,
  encodeEvmTransaction,
} from '../../../src/decode/evm/evmTransaction.ts';
import { RlpReader } from '../../../src/decode/evm/rlpReader.ts';
import { rlpList, rlpUint } from '../../../src/decode/evm/rlpWriter.ts';
import { recoverSenders } from '../../../src/decode/senders/recoverSenders.ts';
import { startSenderPool } from '../../../src/decode/senders/senderPool.ts';
import { some } from '../../some.ts';
import { encodeEvmBlock } from '../encoders.ts';
import { LEDGERS, listFiles, type Recorded, readChain, readJson, readLines } from '../recordedLedger.ts';

const readEvmHeader = (bytes: Buffer) => evmHeader(readHeaderFields(new RlpReader(bytes)));

const blocksOf = (ledger: string) =>
  readChain(ledger, 'c').map((line) => {
    const { inner } = decodeEnvelope(decodeHexChecksum(line.container.bytes));
    return { line, inner, block: decodeEvmBlock(inner) };
  });

/** A header from the JSON of the eth API. */
function headerOfJson(json: Recorded): EvmHeader {
  const text = (name: string) => json[name] ?? null;
  const integer = (name: string) => (json[name] === undefined ? null : BigInt(json[name]));
  return {
    ...json,
    difficulty: integer('difficulty'),
    number: integer('number'),
    gasLimit: integer('gasLimit'),
    gasUsed: integer('gasUsed'),
    timestamp: integer('timestamp'),
    extDataHash: text('extDataHash'),
    baseFeePerGas: integer('baseFeePerGas'),
    extDataGasUsed: integer('extDataGasUsed'),
    blockGasCost: integer('blockGasCost'),
    blobGasUsed: integer('blobGasUsed'),
    excessBlobGas: integer('excessBlobGas'),
    parentBeaconBlockRoot: text('parentBeaconBlockRoot'),
    timestampMilliseconds: integer('timestampMilliseconds'),
    minDelayExcess: integer('minDelayExcess'),
    targetExponent: integer('targetExponent'),
    minPriceExponent: integer('minPriceExponent'),
    settledHeight: integer('settledHeight'),
    settledGasUnix: integer('settledGasUnix'),
    settledGasNumerator: integer('settledGasNumerator'),
    settledExcess: integer('settledExcess'),
    unknownFields: [],
  };
}

function expectHash(json: Recorded, kind: EvmKind) {
  const bytes = encodeEvmHeader(headerOfJson(json), kind);
  expect(keccak256Hex(bytes)).toBe(json.hash);
  if (kind === 'coreth') expect(readEvmHeader(bytes).hash).toBe(json.hash);
}

const heliconMembers = [
  'targetExponent',
  'minPriceExponent',
  'settledHeight',
  'settledGasUnix',
  'settledGasNumerator',
  'settledExcess',
];

describe('headers', () => {
  test('have the shapes that the forks gave them', { tags: 'long' }, () => {
    const shapes: Record<number, number> = {};
    for (const ledger of LEDGERS) {
      for (const { inner } of some(blocksOf(ledger))) {
        const items = new RlpReader(inner).list('block').list('header');
        let fields = 0;
        for (; !items.done; fields++) items.item('field');
        shapes[fields] = (shapes[fields] ?? 0) + 1;
      }
    }
    expect(shapes).toEqual({ 16: 31, 17: 7, 19: 44 + 40, 22: 1490 + 12 + 14, 24: 2048 + 41 + 10 });
  });

  test('of the C-Chain from Helicon on have six members more, in this order', () => {
    const [last] = blocksOf(LEDGERS[2] as string).slice(-1);
    const members = heliconMembers;
    const values = Object.fromEntries(members.map((name, i) => [name, BigInt(i)]));
    const sent = { ...headerOfJson(last?.line.block), ...values };
    const bytes = encodeEvmHeader(sent);
    const header = { ...sent, hash: keccak256Hex(bytes) };
    expect(header).toMatchObject(readEvmHeader(bytes));
    const before = encodeEvmHeader({ ...header, ...Object.fromEntries(members.map((name) => [name, null])) });
    const behind = bytes.subarray(bytes.length - members.length);
    expect([...behind]).toEqual([0x80, 1, 2, 3, 4, 5]);
    expect(bytes.length - before.length).toBe(members.length);
    // L1s have none of them, nor the two of the atomic transactions.
    const ofL1 = Object.fromEntries(['extDataHash', 'extDataGasUsed', ...members].map((name) => [name, null]));
    expect(encodeEvmHeader(header, 'subnet-evm').equals(encodeEvmHeader({ ...header, ...ofL1 }, 'subnet-evm'))).toBe(
      true,
    );
  });

  test('of the C-Chain have the gas of blobs behind the gas cost of the block', () => {
    const [last] = blocksOf(LEDGERS[2] as string).slice(-1);
    const gas = { blockGasCost: 1n, blobGasUsed: 2n, excessBlobGas: 3n };
    const items: string[] = [];
    const bytes = encodeEvmHeader({ ...headerOfJson(last?.line.block), ...gas });
    for (const header = new RlpReader(bytes).list('header'); !header.done; )
      items.push(header.item('member').toString('hex'));
    expect(items.slice(18, 21)).toEqual(['01', '02', '03']);
    expect(readEvmHeader(bytes)).toMatchObject(gas);
  });

  test('of the C-Chain hash to what the node says, from its JSON', () => {
    for (const { line } of some(blocksOf(LEDGERS[2] as string))) expectHash(line.block, 'coreth');
    const folder = 'test/fixtures/coreth-golden';
    const golden = listFiles(folder)
      .map((name) => readJson(`${folder}/${name}`))
      .filter((json) => json?.parentHash && json.hash);
    for (const json of some(golden)) expectHash(json, 'coreth');
    expect(golden.length).toBe(16);
  });

  test('of an EVM L1 hash to what the node says, from its JSON', () => {
    const lines = readLines('devnet/ledger', 'l1-chain').slice(1);
    for (const { block } of some(lines)) expectHash(block, 'subnet-evm');
    expect(lines.length).toBe(410);
  });

  test('keep members that a later fork brought', { tags: 'long' }, () => {
    const { block, inner } = blocksOf(LEDGERS[0] as string).at(-1) as { block: { header: EvmHeader }; inner: Buffer };
    const decoded = decodeEvmBlock(inner);
    const helicon = Object.fromEntries(heliconMembers.map((name) => [name, 1n]));
    const later = { ...decoded, header: { ...block.header, ...helicon, unknownFields: ['0x07', '0xc20102'] } };
    const bytes = encodeEvmBlock(later);
    const again = decodeEvmBlock(bytes);
    expect(again.header.unknownFields).toEqual(['0x07', '0xc20102']);
    expect(again.header.hash).not.toBe(block.header.hash);
    expect(encodeEvmBlock(again).equals(bytes)).toBe(true);
  });
});

test('a block keeps its uncles, and ends with its last part', () => {
  const [line] = readChain(LEDGERS[0] as string, 'c').slice(-1) as [{ container: Recorded }];
  const { inner } = decodeEnvelope(decodeHexChecksum(line.container['bytes']));
  const parts = { version: 2n ** 32n - 1n, uncles: [Buffer.from('c20102', 'hex')] };
  const bytes = encodeEvmBlock({ ...decodeEvmBlock(inner), ...parts });
  expect(decodeEvmBlock(bytes)).toMatchObject(parts);
  expect(() => decodeEvmBlock(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('1 bytes are left after the end');
  const items: Buffer[] = [];
  for (const block = new RlpReader(bytes).list('block'); !block.done; ) items.push(block.item('part'));
  expect(() => decodeEvmBlock(rlpList([...items, rlpUint(1n)]))).toThrow('1 bytes are left after the end');
});

/** A transaction from the JSON of the eth API. */
function transactionOfJson(json: Recorded): EvmTransaction {
  const integer = (name: string) => (json[name] === undefined ? null : BigInt(json[name]));
  const dynamic = json.type === '0x2';
  return {
    hash: json.hash,
    type: Number(json.type),
    raw: Buffer.alloc(0),
    chainId: integer('chainId'),
    nonce: integer('nonce'),
    gasPrice: dynamic ? null : integer('gasPrice'),
    maxFeePerGas: integer('maxFeePerGas'),
    maxPriorityFeePerGas: integer('maxPriorityFeePerGas'),
    gasLimit: integer('gas'),
    to: json.to,
    value: integer('value'),
    input: json.input,
    accessList: json.accessList ?? null,
    maxFeePerBlobGas: null,
    blobVersionedHashes: null,
    v: integer('v'),
    yParity: null,
    r: integer('r'),
    s: integer('s'),
  };
}

test('transactions of an EVM L1 put together from the JSON of the node have its hashes, and their senders', () => {
  for (const { block } of some(readLines('devnet/ledger', 'l1-chain').slice(1))) {
    const raws = block.transactions.map((json: Recorded) => encodeEvmTransaction(transactionOfJson(json)));
    expect(raws.map(keccak256Hex)).toEqual(block.transactions.map((json: Recorded) => json.hash));
    expect(recoverSenders(raws)).toEqual(block.transactions.map((json: Recorded) => json.from));
  }
});

const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const upTo = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
const nothing = fc.constant(null);

function transactionOf(type: 0 | 1 | 2 | 3): fc.Arbitrary<EvmTransaction> {
  const accessList = fc.array(fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), {
    maxLength: 3,
  });
  return fc.record({
    hash: fc.constant(''),
    type: fc.constant(type),
    raw: fc.constant(Buffer.alloc(0)),
    chainId: type === 0 ? nothing : upTo(64n),
    nonce: upTo(64n),
    gasPrice: type < 2 ? upTo(256n) : nothing,
    maxFeePerGas: type < 2 ? nothing : upTo(256n),
    maxPriorityFeePerGas: type < 2 ? nothing : upTo(256n),
    gasLimit: upTo(64n),
    to: type === 3 ? hexOf(20) : fc.option(hexOf(20)),
    value: upTo(256n),
    input: hexOf(0, 100),
    accessList: type === 0 ? nothing : accessList,
    maxFeePerBlobGas: type === 3 ? upTo(256n) : nothing,
    blobVersionedHashes: type === 3 ? fc.array(hexOf(32), { minLength: 1, maxLength: 3 }) : nothing,
    v: type === 0 ? upTo(64n) : upTo(1n),
    yParity: nothing,
    r: upTo(256n),
    s: upTo(256n),
  });
}

describe('transactions', () => {
  test.each([0, 1, 2, 3] as const)('of type %i come back from any members', (type) => {
    fc.assert(
      fc.property(transactionOf(type), (tx) => {
        const raw = encodeEvmTransaction(tx);
        const { hash, raw: kept, chainId, yParity, ...members } = decodeEvmTransaction(raw);
        const { hash: _, raw: __, chainId: signedFor, yParity: ___, ...expected } = tx;
        expect(members).toEqual(expected);
        if (type > 0) expect([chainId, yParity]).toEqual([signedFor, Number(tx.v)]);
        expect(hash).toBe(keccak256Hex(raw));
        expect(kept.equals(raw)).toBe(true);
      }),
    );
  });

  test.each([
    [27n, null, 0],
    [28n, null, 1],
    [86259n, 43112n, 0],
    [86260n, 43112n, 1],
    [35n, 0n, 0],
    [0n, null, null],
  ])('of type 0 with v = %s are for chain %s with parity %s', (v, chainId, yParity) => {
    const fields = [1n, 2n, 3n, 0n, 4n, 0n, v, 5n, 6n].map(rlpUint);
    expect(decodeEvmTransaction(rlpList(fields))).toMatchObject({ v, chainId, yParity, to: null });
  });

  test('end with their last member', () => {
    const members = [1n, 2n, 3n, 0n, 4n, 0n, 27n, 5n, 6n].map(rlpUint);
    for (const raw of [rlpList([...members, rlpUint(7n)]), Buffer.concat([rlpList(members), Buffer.of(7)])])
      expect(() => decodeEvmTransaction(raw)).toThrow('1 bytes are left after the end of the transaction');
  });

  test('of an unknown type are kept as they are', () => {
    const raw = Buffer.from('04c20102', 'hex');
    const tx = decodeEvmTransaction(raw);
    expect(tx).toMatchObject({ type: 4, hash: keccak256Hex(raw), nonce: null, v: null });
    expect(encodeEvmTransaction(tx).equals(raw)).toBe(true);
    expect(recoverSenders([raw])).toEqual([null]);
  });

  test.each(['', '00c0', '80', 'c0', '02c0', '02', 'c20102', '01c101ff'])('are refused if they are %s', (hex) => {
    expect(() => decodeEvmTransaction(Buffer.from(hex, 'hex'))).toThrow(FirnError);
  });
});

describe('senders', () => {
  test.each(LEDGERS)("recovered from %s are the node's", { tags: 'long' }, async (ledger) => {
    const blocks = blocksOf(ledger);
    const raws = blocks.flatMap(({ block }) => block.transactions.map((tx) => tx.raw));
    const senders = blocks.flatMap(({ line }) => line.block.transactions.map((tx: { from: string }) => tx.from));
    expect(senders.length).toBeGreaterThan(90);
    const pool = startSenderPool(2);
    expect(await pool.recover(raws)).toEqual(senders);
    await pool.close();
  });

  test('are null where no key can have signed', () => {
    const fields = [1n, 2n, 3n, 0n, 4n, 0n];
    const signed = (v: bigint, r: bigint, s: bigint) => rlpList([...fields, v, r, s].map(rlpUint));
    expect(recoverSenders([signed(27n, 0n, 1n), signed(27n, 1n, 2n ** 256n - 1n), signed(99n, 5n, 0n)])).toEqual([
      null,
      null,
      null,
    ]);
    expect(recoverSenders([signed(3n, 5n, 5n), Buffer.from('c101', 'hex')])).toEqual([null, null]);
  });
});
