import { checksumAddress } from '../../codec/checksumAddress.ts';
import { bareAddress } from '../../codec/primaryAddress.ts';
import { addressIndexOf } from '../evm/addressIndex.ts';
import { contractFacts } from '../evm/contractFacts.ts';
import type { EvmHistory, EvmTransaction } from '../evm/evmHistory.ts';
import { internalsIn } from '../evm/internalsIn.ts';
import { transfersIn } from '../evm/transfersIn.ts';
import { primaryChainOf } from '../primary/chainIds.ts';
import { primaryHistoryOf } from '../primary/primaryHistory.ts';
import { primaryIndexOf } from '../primary/primaryIndex.ts';
import type { PrimaryTx } from '../primary/primaryTypes.ts';
import type { ServiceContext } from '../serviceContext.ts';
import type { ExportRequest } from './exportRequest.ts';

/** One line of an export, before quoting, with its second. */
export interface ExportRow {
  readonly time: number;
  readonly cells: readonly string[];
}

export interface ExportTable {
  readonly columns: readonly string[];
  /** Ascending. */
  readonly rows: readonly ExportRow[];
}

/** What an export holds. Throws an Error that names an unknown chain. */
export function exportTable(context: ServiceContext, request: ExportRequest, asOf: number): ExportTable {
  const { columns, rows } =
    request.type === 'TRANSACTION_EXPORT_EVM' ? evmTable(context, request, asOf) : primaryTable(context, request, asOf);
  const within = rows.filter(({ time }) => {
    const date = dateOf(time);
    return (request.firstDate ?? date) <= date && date <= (request.lastDate ?? date);
  });
  return { columns, rows: within.sort((a, b) => a.time - b.time) };
}

export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
const momentOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '');

const evmColumns = [
  'timestamp',
  'chainId',
  'blockNumber',
  'txHash',
  'txStatus',
  'type',
  'logIndex',
  'from',
  'to',
  'amount',
  'tokenAddress',
  'tokenName',
  'tokenSymbol',
  'tokenId',
  'gasUsed',
  'gasPrice',
];

function evmTable(context: ServiceContext, { addresses, includeChains }: ExportRequest, asOf: number): ExportTable {
  const own = new Set(addresses.map((address) => address.toLowerCase()));
  const rows = includeChains.flatMap((id) => {
    const chain = context.evm.find(id, asOf);
    if (chain === undefined) throw new Error(`chain ${id} is not supported`);
    const { byAddress } = addressIndexOf(chain);
    const found = new Set([...own].flatMap((address) => byAddress.get(address)?.transactions ?? []));
    return [...found]
      .filter(({ ordinal }) => ordinal < chain.visibleTransactions(asOf))
      .sort((a, b) => a.ordinal - b.ordinal)
      .flatMap((transaction) => evmRows(context, chain, transaction, own));
  });
  return { columns: evmColumns, rows };
}

function evmRows(
  context: ServiceContext,
  chain: EvmHistory,
  transaction: EvmTransaction,
  own: ReadonlySet<string>,
): ExportRow[] {
  const { block, hash, succeeded } = transaction;
  const start = [momentOf(block.time), String(chain.evmChainId), String(block.number), hash, succeeded ? '1' : '0'];
  const ends = (from: string, to: string | null): string[] => [
    checksumAddress(from),
    to === null ? '' : checksumAddress(to),
  ];
  const touches = ({ from, to }: { from: string; to: string | null }): boolean =>
    own.has(from) || (to !== null && own.has(to));
  const row = (...cells: string[]): ExportRow => ({ time: block.time, cells: [...start, ...cells] });
  const native = row(
    'NATIVE',
    '',
    ...ends(transaction.from, transaction.to),
    String(transaction.value),
    ...['', '', '', ''],
    String(transaction.gasUsed),
    String(transaction.gasPrice),
  );
  const tokens = transfersIn(transaction)
    .filter(touches)
    .map(({ standard, token, logIndex, from, to, tokenId, value }) => {
      const facts = contractFacts(context.ledger, chain, token);
      const id = standard === 'ERC-20' ? '' : String(tokenId);
      const about = [checksumAddress(token), facts?.name ?? '', facts?.symbol ?? '', id];
      return row(standard, String(logIndex), ...ends(from, to), String(value), ...about, '', '');
    });
  const internals = internalsIn(transaction)
    .filter(({ frame }) => touches(frame))
    .map(({ frame }) =>
      row(
        'INTERNAL',
        '',
        ...ends(frame.from, frame.to),
        String(frame.value),
        ...['', '', '', ''],
        String(frame.gasUsed),
        '',
      ),
    );
  return [native, ...tokens, ...internals];
}

const primaryColumns = ['timestamp', 'chain', 'blockNumber', 'txHash', 'txType', 'assetId', 'received', 'sent', 'memo'];
const stakingKinds = /^(Add|Reward)/;

function primaryTable(context: ServiceContext, request: ExportRequest, asOf: number): ExportTable {
  const history = primaryHistoryOf(context.ledger);
  const own = new Set(
    [...request.addresses.map(bareAddress), ...request.cChainEvmAddresses].map((address) => address.toLowerCase()),
  );
  const rows = request.includeChains.flatMap((id) => {
    const chain = primaryChainOf(context.ledger, id);
    if (chain === null) throw new Error(`chain ${id} is not supported`);
    const { transactions } = primaryIndexOf(history, chain);
    const found = new Set([...own].flatMap((address) => transactions.get(address) ?? []));
    return [...found]
      .filter((tx) => tx.visibleAt <= asOf)
      .filter(({ type }) => request.type !== 'TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING' || stakingKinds.test(type))
      .sort((a, b) => a.ordinal - b.ordinal)
      .flatMap((tx) => primaryRows(tx, own));
  });
  return { columns: primaryColumns, rows };
}

/** One row for each asset the addresses gained or gave. */
function primaryRows(tx: PrimaryTx, own: ReadonlySet<string>): ExportRow[] {
  const sums = new Map<string, [bigint, bigint]>();
  const add = (assetId: string, side: 0 | 1, amount: bigint): void => {
    const sum = sums.get(assetId) ?? [0n, 0n];
    sums.set(assetId, sum);
    sum[side] += amount;
  };
  const isOwn = ({ addresses }: { readonly addresses: readonly string[] }): boolean =>
    addresses.some((address) => own.has(address));
  for (const utxo of tx.emitted.filter(isOwn)) add(utxo.assetId, 0, utxo.amount);
  for (const utxo of tx.consumed.filter(isOwn)) add(utxo.assetId, 1, utxo.amount);
  for (const { address, assetId, amount } of tx.evmOutputs) if (own.has(address)) add(assetId, 0, amount);
  for (const { address, assetId, amount } of tx.evmInputs) if (own.has(address)) add(assetId, 1, amount);
  const start = [momentOf(tx.time), tx.chain, String(tx.height), tx.id, tx.type];
  return [...sums].map(([assetId, [received, sent]]) => ({
    time: tx.time,
    cells: [...start, assetId, String(received), String(sent), tx.memo],
  }));
}
