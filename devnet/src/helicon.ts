import { fromCheckedHex, toCheckedHex, u32 } from './codec/bytes.ts';
import { fromCb58, toCb58 } from './codec/cb58.ts';
import { keccak256, sha256 } from './codec/hashes.ts';
import { rlpHex, rlpItems, rlpList, rlpQuantity } from './codec/rlp.ts';
import { trieRoot } from './codec/trieRoot.ts';
import type { ContainerRecord, EvmBlockRecord, Ledger } from './types.ts';

/** Blocks that the C-Chain executes after it accepted them (ACP-194), as from its Helicon upgrade on. */
export interface Helicon {
  /** Height of the first of them. */
  readonly from: number;
  /** Seconds after which a block is settled by the next one that is accepted. Default: 5, as on the real network. */
  readonly settleAfter?: number;
}

interface Transaction {
  readonly type: string;
  readonly gas: string;
  gasPrice: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
}

type Header = Record<string, string>;
type Block = Header & { transactions: Transaction[] };

interface Receipt {
  readonly type: string;
  readonly status: string;
  readonly cumulativeGasUsed: string;
  readonly logsBloom: string;
  readonly logs: readonly { address: string; topics: readonly string[]; data: string }[];
}

/** The members of a header in their order, and those that are numbers. */
const order =
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData mixHash nonce extDataHash baseFeePerGas extDataGasUsed blockGasCost blobGasUsed excessBlobGas parentBeaconBlockRoot timestampMilliseconds minDelayExcess targetExponent minPriceExponent settledHeight settledGasUnix settledGasNumerator settledExcess'.split(
    ' ',
  );
const numbers = /^(difficulty|number|gas.*|timestamp.*|baseFee.*|.*Gas.*|.*Excess|.*Exponent|settledHeight)$/;

/** How much more than its base fee a header names as the highest that it may be. */
const headroom = 10n ** 9n;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const least = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * The ledger with Helicon: from a height on, blocks have the headers, hashes and containers that they would have had. The headers name what their
 * transactions may use and pay at most; receipts and traces say what they did, and stay as recorded.
 * Throws an Error for containers that are signed: the signature would be wrong.
 */
export function withHelicon(ledger: Ledger, { from, settleAfter = 5 }: Helicon): Ledger {
  const { blocks } = ledger.c;
  const made = blocks.slice(0, from);
  let settled = from - 1;
  for (const record of blocks.slice(from)) {
    const before = settled;
    while (settled + 1 < record.number && (blocks[settled + 1]?.timestamp ?? 0) + settleAfter <= record.timestamp)
      settled++;
    made.push(asynchronous(record, made[record.number - 1], blocks.slice(before + 1, settled + 1), blocks[settled]));
  }
  return { ...ledger, c: { ...ledger.c, blocks: made } };
}

/**
 * @param parent as it is made
 * @param settles the blocks that this one settles, as recorded
 * @param last the last block that is settled with it
 */
function asynchronous(
  record: EvmBlockRecord,
  parent: EvmBlockRecord | undefined,
  settles: readonly EvmBlockRecord[],
  last: EvmBlockRecord | undefined,
): EvmBlockRecord {
  if (parent === undefined || last === undefined) throw new Error('Helicon begins at block 1 at the earliest');
  const block = JSON.parse(record.block) as Block;
  const receipts = settles.flatMap((one) => JSON.parse(one.receipts) as Receipt[]);
  const { transactions, hash = '', extDataGasUsed = '0x0', baseFeePerGas = '0x0' } = block;
  const most = transactions.map(({ maxFeePerGas, gasPrice }) => BigInt(maxFeePerGas ?? gasPrice));
  const gas = transactions.reduce((sum, tx) => sum + BigInt(tx.gas), BigInt(extDataGasUsed));
  const baseFee = most.reduce(least, BigInt(baseFeePerGas) + headroom);
  const header: Header = {
    parentHash: parent.hash,
    stateRoot: (JSON.parse(last.block) as Header)['stateRoot'] ?? '',
    receiptsRoot: trieRoot(receipts.map(encodeReceipt)),
    logsBloom: `0x${receipts
      .reduce((bloom, receipt) => bloom | BigInt(receipt.logsBloom), 0n)
      .toString(16)
      .padStart(512, '0')}`,
    // Blocks without it were made before Granite.
    timestampMilliseconds: block['timestampMilliseconds'] ?? hex(record.timestamp * 1000),
    minDelayExcess: block['minDelayExcess'] ?? hex(7_970_124),
    gasLimit: hex(gas > BigInt(block['gasLimit'] ?? 0) ? gas : BigInt(block['gasLimit'] ?? 0)),
    gasUsed: hex(gas),
    baseFeePerGas: hex(baseFee),
    extDataGasUsed: '0x0',
    blockGasCost: '0x0',
    targetExponent: hex(13_605_152),
    minPriceExponent: '0x0',
    settledHeight: hex(last.number),
    settledGasUnix: hex(last.timestamp),
    settledGasNumerator: hex(last.number % 1000),
    settledExcess: hex(last.number),
  };
  for (const tx of transactions) {
    if (tx.maxFeePerGas !== undefined)
      tx.gasPrice = hex(least(BigInt(tx.maxFeePerGas), baseFee + BigInt(tx.maxPriorityFeePerGas ?? 0)));
  }
  Object.assign(block, header, { totalDifficulty: '0x0' });
  const encoded = encodeHeader(block);
  const own = `0x${Buffer.from(keccak256(encoded)).toString('hex')}`;
  const container = record.container && wrap(record.container, parent.container, encoded);
  if (container) block['size'] = hex(container.size);
  const renamed = (text: string) => text.replaceAll(hash, own);
  return {
    ...record,
    hash: own,
    container: container?.record ?? null,
    block: renamed(JSON.stringify(block)),
    receipts: renamed(record.receipts),
    settledHeight: last.number,
  };
}

/** RLP of a header: the hash of a block is that of these bytes. */
export const encodeHeader = (header: Readonly<Record<string, unknown>>): Buffer =>
  rlpList(
    order.flatMap((name) => {
      const value = header[name];
      if (typeof value !== 'string') return [];
      return [numbers.test(name) ? rlpQuantity(value) : rlpHex(value)];
    }),
  );

/** The bytes of a receipt, of which the trie is made. */
export function encodeReceipt({ type, status, cumulativeGasUsed, logsBloom, logs }: Receipt): Buffer {
  const body = rlpList([
    rlpQuantity(status),
    rlpQuantity(cumulativeGasUsed),
    rlpHex(logsBloom),
    rlpList(
      logs.map(({ address, topics, data }) => rlpList([rlpHex(address), rlpList(topics.map(rlpHex)), rlpHex(data)])),
    ),
  ]);
  return BigInt(type) === 0n ? body : Buffer.concat([Buffer.of(Number(type)), body]);
}

/** Bytes before the certificate of a container: codec version, type, parent, time, height of the P-Chain. */
const head = 2 + 4 + 32 + 8 + 8;

/** A container with another header in its block, and the id of another container before it. */
function wrap(recorded: ContainerRecord, parent: ContainerRecord | null, header: Buffer) {
  const bytes = fromCheckedHex(recorded.bytes);
  if (bytes.readUInt32BE(head) !== 0 || bytes.readUInt32BE(bytes.length - 4) !== 0)
    throw new Error(`container ${recorded.id} is signed, and cannot be made anew`);
  const start = head + 8;
  const end = start + bytes.readUInt32BE(start - 4);
  const [, ...rest] = rlpItems(bytes.subarray(start, end));
  const block = rlpList([header, ...rest]);
  const made = Buffer.concat([bytes.subarray(0, start - 4), u32(block.length), block, bytes.subarray(end)]);
  if (parent) made.set(fromCb58(parent.id), 6);
  // The id is of the bytes before the signature, of which there is only its length.
  const id = toCb58(sha256(made.subarray(0, -4)));
  return { record: { ...recorded, id, bytes: toCheckedHex(made) }, size: block.length };
}
