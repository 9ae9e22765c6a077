import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { EvmChain } from 'firn-devnet';
import { encodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { keccak256 } from '../../../src/decode/bytes/hashes.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { type EvmHeader, encodeEvmHeader } from '../../../src/decode/evm/evmHeader.ts';
import { encodeEvmBlock } from '../../decode/encoders.ts';
import { isTraced, type Load } from './loads.ts';
import { type DrawnBlock, type DrawnLog, type Frame, rootOf, type World } from './world.ts';

const hex = (n: number | bigint) => `0x${n.toString(16)}`;
const address = (n: number) => `0x${n.toString(16).padStart(40, 'a0')}`;
const accountOf = (n: number) => (n === 0 ? `0x${'0'.repeat(40)}` : address(n));
const hash = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;
const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`;

const signatures = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  single: '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  batch: '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  other: hash('another event'),
};

const topicsOf = ({ kind, topics, isPadded }: DrawnLog): string[] => [
  ...(kind === 'anonymous' ? [] : [signatures[kind]]),
  ...topics.map((account) => `0x${(isPadded ? 'f' : '0').repeat(24)}${accountOf(account).slice(2)}`),
];

/** Atomic transactions that move nothing, in the codec of the C-Chain. */
function extraDataOf({ count, form, network: id }: DrawnBlock['atomic']): Buffer {
  if (count === 0) return Buffer.alloc(0);
  const u32 = (n: number) => n.toString(16).padStart(8, '0');
  const chain = (
    id === 1 ? '0427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652' : 'ab'.repeat(32)
  ) as string;
  const one = (type: number) => `${u32(type)}${u32(id)}${chain}${'11'.repeat(32)}${u32(0)}${u32(0)}${u32(0)}`;
  const all = Array.from({ length: count }, (_, i) => one(i % 2)).join('');
  return Buffer.from(`0000${form === 'batch' ? u32(count) : ''}${all}`, 'hex');
}

const gasOf = ({ transactions }: DrawnBlock) => transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0);

/** The chain as its node has it: headers that name each other by their hashes. */
export function headersOf({ blocks }: World): EvmHeader[] {
  const made: EvmHeader[] = [];
  for (const block of blocks) {
    const header: EvmHeader = {
      hash: '',
      parentHash: made.at(-1)?.hash ?? zeros(32),
      sha3Uncles: zeros(32),
      miner: zeros(20),
      stateRoot: zeros(32),
      transactionsRoot: zeros(32),
      receiptsRoot: zeros(32),
      logsBloom: zeros(256),
      difficulty: 1n,
      number: BigInt(block.number),
      gasLimit: 2n ** 40n,
      gasUsed: BigInt(gasOf(block)),
      timestamp: BigInt(block.time),
      extraData: '0x',
      mixHash: zeros(32),
      nonce: zeros(8),
      extDataHash: zeros(32),
      baseFeePerGas: block.hasBaseFee || block.milliseconds !== null ? 25n : null,
      extDataGasUsed: block.milliseconds === null ? null : 7_000n,
      blockGasCost: block.milliseconds === null ? null : 0n,
      blobGasUsed: block.milliseconds === null ? null : 0n,
      excessBlobGas: block.milliseconds === null ? null : 0n,
      parentBeaconBlockRoot: block.milliseconds === null ? null : zeros(32),
      timestampMilliseconds: block.milliseconds === null ? null : BigInt(block.milliseconds),
      minDelayExcess: null,
      targetExponent: null,
      minPriceExponent: null,
      settledHeight: null,
      settledGasUnix: null,
      settledGasNumerator: null,
      settledExcess: null,
      unknownFields: [],
    };
    made.push({ ...header, hash: `0x${keccak256(encodeEvmHeader(header)).toString('hex')}` });
  }
  return made;
}

const txHash = (chain: string, block: number, index: number) => hash(`${chain} ${block} ${index}`);

function frameOf({ type, from, to, fails, calls }: Frame): object {
  return {
    type,
    from: accountOf(from),
    ...(to !== null && { to: accountOf(to) }),
    value: '0x0',
    gas: '0x0',
    gasUsed: '0x0',
    input: '0x',
    ...(fails && { error: 'out of gas' }),
    ...(calls.length > 0 && { calls: calls.map(frameOf) }),
  };
}

/** What a node answers, block by block. Of some transactions it gives no trace where `traces` says so. */
export function chainOf(chain: string, world: World, headers: readonly EvmHeader[], traces: Load['traces']): EvmChain {
  const blocks = world.blocks.map((block, i) => {
    const { hash: blockHash, ...header } = headers[i] as EvmHeader;
    const members = Object.entries(header).flatMap(([name, value]) =>
      value === null || name === 'unknownFields' ? [] : [[name, typeof value === 'bigint' ? hex(value) : value]],
    );
    const at = { blockHash, blockNumber: hex(block.number) };
    let logIndex = 0;
    let cumulative = 0;
    const transactions = block.transactions.map((tx, index) => ({
      ...at,
      transactionIndex: hex(index),
      hash: txHash(chain, block.number, index),
      from: accountOf(tx.from),
      to: tx.to === null ? null : accountOf(tx.to),
      type: hex(tx.type),
      nonce: '0x0',
      gas: hex(tx.gasUsed),
      gasPrice: hex(tx.paid),
      ...(tx.maxFee !== null && { maxFeePerGas: hex(tx.maxFee), maxPriorityFeePerGas: '0x0' }),
      value: '0x0',
      input: '0x',
    }));
    const receipts = block.transactions.map((tx, index) => {
      const place = { ...at, transactionIndex: hex(index), transactionHash: txHash(chain, block.number, index) };
      cumulative += tx.gasUsed;
      return {
        ...place,
        from: accountOf(tx.from),
        to: tx.to === null ? null : accountOf(tx.to),
        type: hex(tx.type),
        ...(tx.status === null ? { root: zeros(32) } : { status: hex(tx.status) }),
        cumulativeGasUsed: hex(cumulative),
        gasUsed: hex(tx.gasUsed),
        ...(tx.isPriceTold && { effectiveGasPrice: hex(tx.paid) }),
        contractAddress: tx.to === null ? accountOf(99) : null,
        logs: tx.logs.map((log) => ({
          ...place,
          logIndex: hex(logIndex++),
          address: accountOf(98),
          topics: topicsOf(log),
          data: '0x',
          removed: false,
        })),
      };
    });
    const traced = block.transactions.map((tx, index) => ({
      txHash: txHash(chain, block.number, index),
      ...(isTraced(traces, block.number, index) ? { result: frameOf(rootOf(tx)) } : { error: 'execution timeout' }),
    }));
    const json = {
      ...Object.fromEntries(members),
      hash: blockHash,
      uncles: [],
      ...(world.hasIndex && { blockExtraData: `0x${extraDataOf(block.atomic).toString('hex')}` }),
      transactions,
    };
    return {
      number: block.number,
      visibleAt: block.time * 1000,
      timestamp: block.time,
      hash: blockHash,
      container: null,
      block: JSON.stringify(json),
      receipts: JSON.stringify(receipts),
      traces: JSON.stringify(traced),
    };
  });
  return { name: chain, blockchainId: '', subnetId: null, evmChainId: Number(chain), blocks };
}

/** The container of a block from before ApricotPhase4: the block itself. */
export function containerOf(block: DrawnBlock, header: EvmHeader): unknown {
  const transactions = block.transactions.map(({ type, to, gasUsed, paid, maxFee }, i) => ({
    hash: '',
    type,
    raw: Buffer.of(type, i),
    // Of an unknown type nothing is known but its bytes.
    nonce: type > 3 ? null : BigInt(i),
    chainId: 1n,
    gasPrice: type < 2 ? paid : null,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: type < 2 ? null : 0n,
    gasLimit: BigInt(gasUsed),
    to: to === null ? null : accountOf(to),
    value: 0n,
    input: '0x',
    accessList: [],
    maxFeePerBlobGas: type === 3 ? 1n : null,
    blobVersionedHashes: [],
    v: type === 0 ? 27n : 0n,
    yParity: 0,
    r: 1n,
    s: 1n,
  }));
  const bytes = encodeEvmBlock({ header, transactions, uncles: [], version: 0n, extraData: extraDataOf(block.atomic) });
  return {
    index: String(block.number - 1),
    id: encodeCb58(Buffer.from(header.hash.slice(2), 'hex')),
    bytes: encodeHexChecksum(bytes),
    timestamp: new Date(block.time * 1000).toISOString(),
    timestampText: '',
    encoding: 'hex',
  };
}

/** The transactions of a block as the data service lists them. */
export const listed = (chain: string, { number, time, transactions }: DrawnBlock, { hash: blockHash }: EvmHeader) =>
  transactions.map((tx, index) => ({
    blockNumber: String(number),
    blockTimestamp: time,
    blockHash,
    txHash: txHash(chain, number, index),
    blockIndex: index,
    txStatus: String(tx.status ?? 1),
    txType: tx.type,
    gasLimit: String(tx.gasUsed),
    gasUsed: String(tx.gasUsed),
    gasPrice: String(tx.paid),
    nonce: '0',
    from: { address: accountOf(tx.from) },
    ...(tx.to !== null && { to: { address: accountOf(tx.to) } }),
    value: '0',
  }));
