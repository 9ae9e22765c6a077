import { z } from 'zod';
import {
  boolean,
  hex,
  hexes,
  int32,
  int64,
  json,
  named,
  optional,
  text,
  uint64,
  uint256,
  unixSeconds,
} from '../../src/index.ts';

/** eth_getBlockByNumber with whole transactions, of coreth and subnet-evm in every fork. */
export const transaction = z.object({
  transactionIndex: named('tx_index', int32('Place of the transaction in its block, from 0.')),
  hash: hex('Transaction hash.'),
  blockHash: hex('Hash of the block.'),
  blockNumber: int64('Height of the block.'),
  from: named('from_address', hex('Sender.')),
  to: optional(named('to_address', hex('Receiver; NULL for a contract creation.'))),
  type: optional(
    int32(
      'Envelope type: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702; NULL from nodes that know legacy ones alone.',
    ),
  ),
  nonce: uint64('Nonce of the sender.'),
  gas: named('gas_limit', int64('Gas limit.', 'gas')),
  gasPrice: optional(
    uint256(
      'Gas price: of the transaction (types 0, 1), for types 2 and 3 with the base fee of the header: what was paid, from Helicon on at most (C-Chain).',
      'wei',
    ),
  ),
  maxFeePerGas: optional(uint256('Highest price per gas the sender agreed to.', 'wei')),
  maxPriorityFeePerGas: optional(uint256('Highest tip per gas.', 'wei')),
  maxFeePerBlobGas: optional(uint256('Highest price per blob gas.', 'wei')),
  blobVersionedHashes: optional(hexes('Versioned hashes of the blobs.')),
  value: uint256('Native amount sent.', 'wei'),
  input: hex('Call data.'),
  chainId: optional(named('signed_chain_id', int64('Chain id inside the signature (EIP-155); NULL before it.'))),
  accessList: optional(json('Access list as JSON.')),
  v: optional(hex('Signature v.')),
  r: optional(hex('Signature r.')),
  s: optional(hex('Signature s.')),
  yParity: optional(int32('Signature parity (typed transactions).')),
  blockTimestamp: optional(unixSeconds('Block time as newer nodes repeat it here.')),
});

/** One log of a receipt. */
export const log = z.object({
  logIndex: int32('Place of the log in its block, from 0.'),
  transactionIndex: named('tx_index', int32('Place of the transaction in its block.')),
  transactionHash: hex('Transaction hash.'),
  blockHash: hex('Hash of the block.'),
  blockNumber: int64('Height of the block.'),
  address: hex('Contract that emitted the log.'),
  topics: hexes('Topics, 0 to 4, in order.'),
  data: hex('Data of the log.'),
  removed: optional(boolean('True for a log of a block that was taken back; never on a finalized chain.')),
  blockTimestamp: optional(unixSeconds('Block time as newer nodes repeat it here.')),
});

/** eth_getBlockReceipts or eth_getTransactionReceipt. */
export const receipt = z.object({
  transactionIndex: named('tx_index', int32('Place of the transaction in its block.')),
  transactionHash: hex('Transaction hash.'),
  blockHash: hex('Hash of the block.'),
  blockNumber: int64('Height of the block.'),
  from: named('from_address', hex('Sender.')),
  to: optional(named('to_address', hex('Receiver; NULL for a contract creation.'))),
  type: optional(int32('Envelope type; NULL from nodes that know legacy ones alone.')),
  status: optional(int32('1 success, 0 failed.')),
  cumulativeGasUsed: int64('Gas used in the block up to and with this transaction.', 'gas'),
  gasUsed: int64('Gas used by this transaction.', 'gas'),
  effectiveGasPrice: optional(uint256('Price per gas that was paid.', 'wei')),
  blobGasUsed: optional(int64('Blob gas used.', 'gas')),
  blobGasPrice: optional(uint256('Price per blob gas that was paid.', 'wei')),
  contractAddress: optional(
    hex('Contract created by the transaction itself; given also where it failed (status 0), and then there is none.'),
  ),
  logsBloom: optional(hex('Bloom filter of the logs.')),
  root: optional(hex('State root of receipts from before Byzantium.')),
  logs: z.array(log),
});

/** One frame of callTracer's tree, in preorder. Made by `flattenTrace`. */
export const trace = z.object({
  txIndex: int32('Place of the transaction in its block.'),
  frame: int32('Place of the frame in preorder, from 0 (the transaction itself).'),
  parentFrame: optional(int32('Frame that made this call; NULL for the outermost.')),
  depth: int32('Depth of the frame, from 0.'),
  type: text('CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT.'),
  from: named('from_address', hex('Caller; for a create the creating account or contract.')),
  to: optional(named('to_address', hex('Callee, or the created contract.'))),
  // A call that fails for want of funds may name any amount.
  value: optional(uint256('Native amount of the frame; that of a DELEGATECALL moves nothing.', 'wei')),
  gas: optional(int64('Gas given to the frame.', 'gas')),
  gasUsed: optional(int64('Gas used by the frame.', 'gas')),
  input: optional(hex('Call data or init code.')),
  output: optional(hex('Returned data or deployed code.')),
  error: optional(text('Error of this frame.')),
  revertReason: optional(text('Decoded revert reason.')),
  reverted: boolean('Whether this frame or any ancestor failed: what it did was undone.'),
});

/** Whether a transaction could be traced. */
export const traceStatus = z.object({
  txIndex: int32('Place of the transaction in its block.'),
  traceStatus: text('traced, not_asked_for, not_offered, or failed.'),
  traceError: optional(text('What the node said instead.')),
});

/** A block with its transactions, receipts and traces, as `evm_blocks` assembles it. */
export const block = z.object({
  number: int64('Height.'),
  hash: hex('Block hash.'),
  parentHash: hex('Hash of the parent block.'),
  timestamp: unixSeconds('Block time (header seconds).'),
  timestampMilliseconds: optional(int64('Block time with milliseconds, from Granite on.', 'ms')),
  gasUsed: int64(
    'Gas used by the transactions; from Helicon on the most that they and the atomic ones may use (C-Chain).',
    'gas',
  ),
  gasLimit: int64('Gas limit.', 'gas'),
  baseFeePerGas: optional(uint256('Base fee; from Helicon on the highest that it may be (C-Chain).', 'wei')),
  miner: hex('Coinbase.'),
  difficulty: uint256('Difficulty.', ''),
  totalDifficulty: optional(
    uint256('Sum of difficulties; the height on the C-Chain, 0 from a node that runs Helicon.', ''),
  ),
  size: optional(int64('Size of the block.', 'bytes')),
  nonce: optional(hex('Nonce of the header.')),
  sha3Uncles: hex('Hash of the uncle list.'),
  stateRoot: hex('State root.'),
  transactionsRoot: hex('Root of the transaction trie.'),
  receiptsRoot: hex('Root of the receipt trie.'),
  logsBloom: hex('Bloom filter of the logs.'),
  extraData: hex('Extra data of the header.'),
  mixHash: optional(hex('Mix digest.')),
  extDataHash: optional(hex('Hash of the atomic data (C-Chain).')),
  extDataGasUsed: optional(int64('Gas of the atomic transactions, outside gasUsed (C-Chain).', 'gas')),
  blockExtraData: optional(hex('Atomic data (C-Chain).')),
  blockGasCost: optional(uint256('Block gas cost.', 'gas')),
  blobGasUsed: optional(int64('Blob gas used.', 'gas')),
  excessBlobGas: optional(int64('Excess blob gas.', 'gas')),
  parentBeaconBlockRoot: optional(hex('Parent beacon block root.')),
  minDelayExcess: optional(int64('ACP-226 minimum delay excess, from Granite on.')),
  targetExponent: optional(int64('Exponent of the gas target (ACP-176), from Helicon on (C-Chain).')),
  minPriceExponent: optional(int64('Exponent of the lowest gas price (ACP-283), from Helicon on (C-Chain).')),
  settledHeight: optional(
    int64(
      'Height up to which blocks are settled (ACP-194): the roots and the bloom are of the blocks up to it that the parent had not settled, from Helicon on (C-Chain).',
    ),
  ),
  settledGasUnix: optional(int64('Seconds of the gas clock after the settled block, as Unix time.', 's')),
  settledGasNumerator: optional(int64('Gas of the gas clock beyond settled_gas_unix.', 'gas')),
  settledExcess: optional(int64('Gas beyond the target after the settled block.', 'gas')),
  withdrawalsRoot: optional(hex('Withdrawals root, where a chain has it.')),
  requestsHash: optional(hex('Requests hash, where a chain has it.')),
  uncles: optional(hexes('Uncle hashes; always empty here.')),
  withdrawals: optional(json('Withdrawals, where a chain has them.')),
  transactions: z.array(transaction),
  receipts: z.array(receipt),
  frames: z.array(trace),
  traceStatuses: z.array(traceStatus),
});
