import { expect, test } from 'vitest';
import { fromCheckedHex } from '../src/codec/bytes.ts';
import { toCb58 } from '../src/codec/cb58.ts';
import { keccak256, sha256 } from '../src/codec/hashes.ts';
import { rlpItems } from '../src/codec/rlp.ts';
import { trieRoot } from '../src/codec/trieRoot.ts';
import { encodeHeader, encodeReceipt, withHelicon } from '../src/helicon.ts';
import { readLedger } from '../src/readLedger.ts';
import type { EvmBlockRecord } from '../src/types.ts';

const ledger = await readLedger();
const from = 2000;
const after = 600;
const { blocks } = withHelicon(ledger, { from, settleAfter: after }).c;

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
// biome-ignore lint/suspicious/noExplicitAny: blocks and receipts as the node writes them
const parsed = (text: string): any => JSON.parse(text);
const own = (block: EvmBlockRecord) => parsed(block.block);

test('headers, receipts and containers of the recording hash to what it says: they are encoded as the node does it', {
  tags: 'long',
}, () => {
  for (const { block, container, receipts, hash } of ledger.c.blocks) {
    expect(hex(keccak256(encodeHeader(parsed(block))))).toBe(hash);
    expect(trieRoot(parsed(receipts).map(encodeReceipt))).toBe(parsed(block).receiptsRoot);
    if (container) expect(toCb58(sha256(fromCheckedHex(container.bytes).subarray(0, -4)))).toBe(container.id);
  }
});

test('blocks and containers from the height on are others, and hang together', () => {
  expect(blocks.slice(0, from)).toEqual(ledger.c.blocks.slice(0, from));
  for (const block of blocks.slice(from)) {
    const parent = blocks[block.number - 1] as EvmBlockRecord;
    const recorded = ledger.c.blocks[block.number] as EvmBlockRecord;
    expect(own(block)).toMatchObject({ hash: block.hash, parentHash: parent.hash, totalDifficulty: '0x0' });
    expect(hex(keccak256(encodeHeader(own(block))))).toBe(block.hash);
    const bytes = fromCheckedHex(block.container?.bytes ?? '');
    expect(toCb58(bytes.subarray(6, 38))).toBe(parent.container?.id);
    const inner = bytes.subarray(62, 62 + bytes.readUInt32BE(58));
    expect(hex(keccak256(rlpItems(inner)[0] as Buffer))).toBe(block.hash);
    expect(own(block).size).toBe(`0x${inner.length.toString(16)}`);
    expect(block.receipts).toBe(recorded.receipts.replaceAll(recorded.hash, block.hash));
  }
});

test('a block settles what is older by some seconds, and promises no less than is used and paid', () => {
  let settled = from - 1;
  const at = (number: number) => blocks[number] as EvmBlockRecord;
  for (const block of blocks.slice(from)) {
    const { settledHeight, gasUsed, gasLimit, baseFeePerGas, transactions, stateRoot, receiptsRoot } = own(block);
    const last = Number(settledHeight);
    expect(block.settledHeight).toBe(last);
    if (last > settled) expect(block.timestamp - at(last).timestamp).toBeGreaterThanOrEqual(after);
    if (last + 1 < block.number) expect(block.timestamp - at(last + 1).timestamp).toBeLessThan(after);
    expect(stateRoot).toBe(parsed(ledger.c.blocks[last]?.block ?? '').stateRoot);
    if (last === settled + 1) expect(receiptsRoot).toBe(parsed(ledger.c.blocks[last]?.block ?? '').receiptsRoot);
    settled = last;
    const receipts = parsed(block.receipts);
    const used = receipts.reduce((sum: number, receipt: { gasUsed: string }) => sum + Number(receipt.gasUsed), 0);
    expect(Number(gasUsed)).toBeGreaterThanOrEqual(used);
    expect(Number(gasLimit)).toBeGreaterThanOrEqual(Number(gasUsed));
    for (const [i, { gasPrice, maxFeePerGas = gasPrice }] of transactions.entries()) {
      expect(BigInt(gasPrice)).toBeGreaterThanOrEqual(BigInt(receipts[i].effectiveGasPrice));
      expect(BigInt(maxFeePerGas)).toBeGreaterThanOrEqual(BigInt(baseFeePerGas));
    }
  }
  const lags = blocks.slice(from).map(({ number, settledHeight = 0 }) => number - settledHeight);
  expect(new Set(lags).size).toBeGreaterThan(5);
});

test('genesis is never executed later', () => {
  expect(() => withHelicon(ledger, { from: 0 })).toThrow(/at the earliest/);
});
