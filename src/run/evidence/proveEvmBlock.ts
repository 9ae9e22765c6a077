import { Buffer } from 'node:buffer';
import { keccak256Hex } from '../../decode/bytes/hashes.ts';
import { fromHex, toHex } from '../../decode/bytes/hex.ts';
import { decodeEvmBlock } from '../../decode/evm/evmBlock.ts';
import { type EvmHeader, encodeEvmHeader } from '../../decode/evm/evmHeader.ts';
import { encodeEvmTransaction } from '../../decode/evm/evmTransaction.ts';
import { listRoot } from '../../decode/evm/listRoot.ts';
import { rlpHex, rlpList, rlpString, rlpUint } from '../../decode/evm/rlpWriter.ts';
import { type BlockEvidence, createEvidence, type EvidenceBuilder } from './evidenceLinks.ts';
import type { BlockRows, EvidenceRow } from './evidenceRows.ts';
import { headerOfRow, isEncodable, list, text, textOrNull, transactionOfRow } from './evmRows.ts';
import { proveContainer } from './proveContainer.ts';
import { proveReceipts } from './proveReceipts.ts';
import type { Settlement } from './settlements.ts';

/** What a block is proven against apart from its own rows. */
export interface EvmProof {
  /** 32 bytes; null where the chain's blockchain id is not known. */
  readonly blockchainId: Uint8Array | null;
  /** Hash of the block before, where it is held. */
  readonly parentHash: string | null;
  /** Senders recovered from the signatures, in order. */
  readonly senders: readonly (string | null)[];
  /** What settles it, where it is executed after it was accepted and that is held. */
  readonly settlement: Settlement | null;
}

const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const noHash = `0x${'00'.repeat(32)}`;

/** Canonical bytes of a block's transactions, made from its rows; the senders are recovered from these. */
export const transactionBytes = ({ transactions }: BlockRows): Buffer[] =>
  transactions.map((row) => (isEncodable(row) ? encodeEvmTransaction(transactionOfRow(row)) : Buffer.alloc(0)));

/**
 * Proves a block of an EVM chain from its container, where there is one, down to the rows that the metrics count. Call traces,
 * the block's size and its total difficulty are covered by no hash and not looked at.
 *
 * @param raws as `transactionBytes` gives them
 */
export function proveEvmBlock(rows: BlockRows, raws: readonly Buffer[], proof: EvmProof): BlockEvidence {
  const evidence = createEvidence();
  const header = headerOfRow(rows.block);
  proveHeader(evidence, rows, header, proof);
  if (rows.number === 0) evidence.leave('parent', 'not_applicable');
  else if (proof.parentHash === null) evidence.leave('parent', 'not_covered');
  else {
    const { parentHash } = proof;
    evidence.check(
      'parent',
      header.parentHash === parentHash,
      () => `${header.parentHash}, but the block before it is ${parentHash}`,
    );
  }
  proveTransactions(evidence, rows, raws, header, proof.senders);
  // From Helicon on a block is executed after it was accepted: its header has receipts root and bloom of earlier blocks, and the most that gas and
  // base fee may be.
  proveReceipts(evidence, rows, header, header.settledHeight === null ? 'own' : proof.settlement);
  proveAtomicData(evidence, rows.block, header);
  proveWithdrawals(evidence, rows.block);
  return evidence.build(rows.number, header.hash);
}

function proveHeader(evidence: EvidenceBuilder, rows: BlockRows, header: EvmHeader, proof: EvmProof): void {
  const { container, block } = rows;
  const kind = header.extDataHash === null ? 'subnet-evm' : 'coreth';
  if (container) {
    const envelope = proveContainer(evidence, container, proof.blockchainId, (inner) =>
      fromHex(decodeEvmBlock(inner).header.hash),
    );
    const inside = decodeEvmBlock(envelope.inner);
    const differing = (Object.keys(inside.header) as (keyof EvmHeader)[]).find(
      (name) => String(inside.header[name]) !== String(header[name]) && name !== 'unknownFields',
    );
    evidence.check('header', differing === undefined, () => {
      const name = differing as keyof EvmHeader;
      return `${name} is ${String(header[name])}, in the container ${String(inside.header[name])}`;
    });
    const extra = toHex(inside.extraData);
    const held = text(block, 'block_extra_data');
    evidence.check('atomic_data', extra === held, () => `is ${held}, in the container ${extra}`);
  } else {
    const why = rows.number === 0 || kind === 'subnet-evm' ? 'not_applicable' : 'not_covered';
    evidence.leave('signature', why);
    evidence.leave('container', why);
  }
  const computed = keccak256Hex(encodeEvmHeader(header, kind));
  // Members that this version does not know are part of the hash: a container has their bytes, a row does not. Nor is it known where the header of
  // an L1 has those by which it settles others.
  const members = ['withdrawals_root', 'requests_hash', '_extra', ...(kind === 'subnet-evm' ? ['settled_height'] : [])];
  const unknown = members.some((name) => (block[name] ?? null) !== null);
  if (computed !== header.hash && unknown) {
    evidence.leave('header', 'not_covered');
    return;
  }
  evidence.check(
    'header',
    computed === header.hash,
    () => `hash of its members is ${computed}, the row says ${header.hash}`,
  );
  evidence.check('header', header.sha3Uncles === noUncles, () => `has uncles: ${header.sha3Uncles}`);
}

function proveTransactions(
  evidence: EvidenceBuilder,
  { transactions: rows, dropped }: BlockRows,
  raws: readonly Buffer[],
  header: EvmHeader,
  senders: readonly (string | null)[],
): void {
  if (dropped.has('transactions') || !rows.every(isEncodable)) {
    evidence.leave('transactions', 'not_covered');
    evidence.leave('senders', 'not_covered');
    return;
  }
  rows.forEach((row, i) => {
    const hash = keccak256Hex(raws[i] ?? Buffer.alloc(0));
    const held = text(row, 'hash');
    evidence.check('transactions', hash === held, () => `hash of transaction ${i} is ${hash}, the row says ${held}`);
    const sender = senders[i] ?? null;
    const from = textOrNull(row, 'from_address');
    evidence.check('senders', sender === from, () => `transaction ${i} was signed by ${sender}, the row says ${from}`);
  });
  const root = toHex(listRoot(raws));
  const { transactionsRoot } = header;
  evidence.check(
    'transactions',
    root === transactionsRoot,
    () => `root of the ${rows.length} rows is ${root}, the header says ${transactionsRoot}`,
  );
}

/** The header covers the atomic data from ApricotPhase1 on; before it the hash is zero. */
function proveAtomicData(evidence: EvidenceBuilder, block: EvidenceRow, { extDataHash }: EvmHeader): void {
  if (extDataHash === null || extDataHash === noHash) {
    evidence.leave('atomic_data', 'not_applicable');
    return;
  }
  const data = textOrNull(block, 'block_extra_data') ?? '0x';
  const hash = keccak256Hex(rlpHex(data));
  evidence.check('atomic_data', hash === extDataHash, () => `hash is ${hash}, the header says ${extDataHash}`);
}

interface Withdrawal {
  readonly index: string;
  readonly validatorIndex: string;
  readonly address: string;
  readonly amount: string;
}

function proveWithdrawals(evidence: EvidenceBuilder, block: EvidenceRow): void {
  const expected = textOrNull(block, 'withdrawals_root');
  if (expected === null) {
    evidence.leave('withdrawals', 'not_applicable');
    return;
  }
  const items = list<Withdrawal>(block, 'withdrawals').map(({ index, validatorIndex, address, amount }) =>
    rlpList([
      rlpUint(BigInt(index)),
      rlpUint(BigInt(validatorIndex)),
      rlpString(fromHex(address)),
      rlpUint(BigInt(amount)),
    ]),
  );
  const root = toHex(listRoot(items));
  evidence.check('withdrawals', root === expected, () => `root of the rows is ${root}, the header says ${expected}`);
}
