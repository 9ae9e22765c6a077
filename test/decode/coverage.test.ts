/** @module-tag long */
import { expect, test } from 'vitest';
import type { Codec } from '../../src/decode/avalanche/codec.ts';
import { decodeEnvelope } from '../../src/decode/avalanche/envelope.ts';
import { atomicUnsignedTx, decodeExtraData } from '../../src/decode/avalanche/extraData.ts';
import { decodePBlock, pBlock } from '../../src/decode/avalanche/pBlock.ts';
import { pUnsignedTx } from '../../src/decode/avalanche/pTransactions.ts';
import { decodeXBlock, xBlock } from '../../src/decode/avalanche/xBlock.ts';
import { xOperation, xOutput, xUnsignedTx } from '../../src/decode/avalanche/xTransactions.ts';
import { fromHex } from '../../src/decode/bytes/hex.ts';
import { decodeHexChecksum } from '../../src/decode/bytes/hexChecksum.ts';
import { decodeEvmBlock } from '../../src/decode/evm/evmBlock.ts';
import { LEDGERS, readChain, readJson } from './recordedLedger.ts';

const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

/** Counts every variant of every union inside a value. */
function countTypes(family: string, value: unknown) {
  if (Array.isArray(value)) for (const item of value) countTypes(family, item);
  else if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    const { type, ...members } = value as { type?: string };
    if (type !== undefined) count(`${family} ${type}`);
    for (const member of Object.values(members)) countTypes(family, member);
  }
}

function typesOf(codec: Codec<unknown>): string[] {
  return codec.shape.kind === 'union' ? Object.keys(codec.shape.variants) : [];
}

test('says which types the recordings hold, and which only generated values cover', () => {
  for (const ledger of LEDGERS) {
    const inners = (chain: 'c' | 'p' | 'x') =>
      readChain(ledger, chain).map(({ container }) => decodeEnvelope(decodeHexChecksum(container.bytes)).inner);
    for (const inner of inners('p')) countTypes('P', decodePBlock(inner));
    for (const inner of inners('x')) countTypes('X', decodeXBlock(inner));
    for (const inner of inners('c')) {
      const { transactions, extraData } = decodeEvmBlock(inner);
      for (const { type } of transactions) count(`C type ${type}`);
      countTypes('C', decodeExtraData(extraData ?? Buffer.alloc(0)).txs);
    }
  }
  for (const { hexData } of readJson('test/fixtures/c-chain-atomic/cchain_blockExtraData_atomic_47.json')) {
    countTypes('C', decodeExtraData(fromHex(hexData)).txs);
  }
  const known = [
    ...[pBlock, pUnsignedTx].flatMap(typesOf).map((type) => `P ${type}`),
    ...[xBlock, xUnsignedTx, xOutput, xOperation].flatMap(typesOf).map((type) => `X ${type}`),
    ...typesOf(atomicUnsignedTx).map((type) => `C ${type}`),
    ...[0, 1, 2, 3].map((type) => `C type ${type}`),
  ];
  console.log(
    [...counts]
      .sort()
      .map(([type, times]) => `${String(times).padStart(6)} ${type}`)
      .join('\n'),
  );
  expect(known.filter((type) => !counts.has(type))).toEqual([
    'P AddAutoRenewedValidatorTx',
    'P SetAutoRenewedValidatorConfigTx',
    'P RewardAutoRenewedValidatorTx',
    'X NftTransferOutput',
    'X PropertyOwnedOutput',
    'X PropertyMintOperation',
    'X PropertyBurnOperation',
    'C type 3',
  ]);
});
