import type { Faults } from './faults.ts';
import { NodeIndex } from './nodeIndex.ts';
import type { Random } from './random.ts';
import { type Block, chainId, type Transaction, type Transfer, type Utxo, type World } from './world.ts';

export interface ServiceAnswer {
  readonly status: number;
  readonly body: string;
}

type Row = Record<string, unknown>;

/** A list, and what its pages say besides. */
interface List {
  readonly member: string;
  readonly rows: readonly Row[];
  readonly chainInfo?: Row;
}

interface Walk {
  readonly list: string;
  readonly rows: readonly Row[];
  readonly offset: number;
  /** Places of pages that are to come before what follows. */
  readonly queue: readonly number[];
  /** Rows of a page that was swapped with the one behind it, however few the service gives at once by then. */
  readonly size?: number | undefined;
  readonly at: number;
}

const tokenLifetimeMs = 24 * 3_600_000;
const bucketSeconds: Readonly<Record<string, number>> = { hour: 3600, day: 86_400 };
const json = (value: unknown): ServiceAnswer => ({ status: 200, body: JSON.stringify(value) });
const refused = (status: number, message: string): ServiceAnswer => ({
  status,
  body: JSON.stringify({ message, error: 'Error', statusCode: status }),
});

/** A node, a data service and a metrics service that speak of one world, as faulty as they are told to be. */
export class Services {
  /** The chain as the node has it; undefined where it has the one that is settled. */
  nodeChain: readonly Block[] | undefined;
  readonly index: NodeIndex;
  /** The chain that the node is still bootstrapping, and what it answers instead of serving it; it has a part of it where that is undefined. */
  bootstrapping: { readonly chain: 'P' | 'C'; readonly status: 404 | 503 | undefined } | undefined;
  /** Whether the data service lists some transactions up to a day after their time. */
  listsLate = false;
  /** Rows of a page at most, whatever is asked for. */
  mostRows = 100;
  /** Whether a token that was used is known no more. */
  tokensAreForOnce = false;
  readonly #world: World;
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #walks = new Map<string, Walk>();
  /** Whether the ends of a time range belong to it, which is not documented. */
  readonly #isInclusive: boolean;
  /** Transactions that were once said not to be there. */
  readonly #missed = new Set<string>();
  #tokens = 0;

  constructor(world: World, faults: Faults, random: Random, now: () => number) {
    this.#world = world;
    this.#faults = faults;
    this.#random = random;
    this.#now = now;
    this.#isInclusive = random.chance(0.5);
    this.index = new NodeIndex(world, faults, random.fork());
  }

  /** A restarted service knows no token that it gave before. */
  restart(): void {
    this.#walks.clear();
  }

  answer(method: string, target: string, body: string): ServiceAnswer {
    const { pathname, searchParams: query } = new URL(target, 'http://service');
    if (method === 'POST' && pathname.startsWith('/ext/'))
      return this.#late(pathname) ?? this.#rpc(pathname, JSON.parse(body) as Call | Call[]);
    const list = this.#listOf(pathname, query, body);
    if (list) return this.#page(`${pathname}?${withoutToken(query)}`, query, list);
    const hash = /\/transactions\/(0x[0-9a-f]{64})$/.exec(pathname)?.[1];
    const found = this.#world.transactions.find((transaction) => transaction.hash === hash);
    if (!found) return refused(404, `nothing at ${pathname}`);
    // Lists come before what they name; not twice.
    if (!this.#missed.has(found.hash) && this.#faults.hit('lookedUpTooSoon')) {
      this.#missed.add(found.hash);
      return refused(404, `nothing at ${pathname}`);
    }
    const shown = this.#faults.hit('otherTransaction') ? this.#random.pick(this.#world.transactions) : found;
    return json({ nativeTransaction: this.#drifted(nativeRow(shown)), ...transfersOf(shown) });
  }

  #listOf(path: string, query: URLSearchParams, body: string): List | undefined {
    const { validators, utxos } = this.#world;
    const transactions = this.#world.transactions.filter(({ hash, block }) => this.#isListed(hash, block.time));
    const primary = /^\/v1\/networks\/fuji\/blockchains\/p-chain\/(\w+)$/.exec(path)?.[1];
    if (primary === 'transactions') return { member: 'transactions', rows: this.#transfers(query), ...ofPrimary };
    if (primary === 'utxos') {
      const { addresses } = JSON.parse(body) as { addresses: string };
      return { member: 'utxos', rows: utxos.filter(ownedBy(addresses)).map(utxoRow), ...ofPrimary };
    }
    const newestFirst = transactions.toReversed();
    const [, address, kind] = /^\/v1\/chains\/\d+\/addresses\/(0x[0-9a-f]+)\/transactions(?::(\w+))?$/.exec(path) ?? [];
    const start = Number(query.get('startBlock') ?? 0);
    const end = Number(query.get('endBlock') ?? Number.POSITIVE_INFINITY);
    const inRange = ({ block }: Transaction) => block.number >= start && block.number < end;
    if (address !== undefined) {
      const touched = (query.get('sortOrder') === 'asc' ? transactions : newestFirst).filter(
        (one) => inRange(one) && (one.from === address || one.to === address),
      );
      const render = kind === 'listErc721' ? erc721Rows : kind === 'listInternals' ? internalRows : undefined;
      const whole = (one: Transaction) => ({ nativeTransaction: nativeRow(one), ...transfersOf(one) });
      return { member: 'transactions', rows: touched.flatMap(render ?? whole) };
    }
    if (path === `/v1/chains/${chainId}/transactions`)
      return { member: 'transactions', rows: newestFirst.map(nativeRow) };
    if (path === '/v1/networks/fuji/validators') return { member: 'validators', rows: validators.map(validatorRow) };
    if (!path.startsWith('/v2/chains/')) return undefined;
    const [from, to] = ['startTimestamp', 'endTimestamp'].map((name) => query.get(name));
    const buckets = [...this.#world.countBy(bucketSeconds[query.get('timeInterval') ?? ''] ?? 86_400)]
      .filter(([time]) => time >= Number(from ?? 0) && time <= Number(to ?? Number.POSITIVE_INFINITY))
      .sort(([a], [b]) => b - a);
    return { member: 'results', rows: buckets.map(([timestamp, value]) => ({ timestamp, value })) };
  }

  /** Transactions of the P-Chain: the latest of all, or the first of some addresses, of which they show their part. */
  #transfers(query: URLSearchParams): Row[] {
    const transfers = this.#world.transfers.filter(({ hash, time }) => this.#isListed(hash, time));
    const addresses = query.get('addresses');
    if (addresses === null) return transfers.toReversed().map((one) => transferRow(one, () => true));
    const isOwn = ownedBy(addresses);
    const slack = this.#isInclusive ? 0 : 1;
    const start = Number(query.get('startTimestamp') ?? Number.NEGATIVE_INFINITY) + slack;
    const end = Number(query.get('endTimestamp') ?? Number.POSITIVE_INFINITY) - slack;
    return transfers
      .filter(({ time }) => time >= start && time <= end)
      .filter(({ emitted, consumed }) => [...emitted, ...consumed].some(isOwn))
      .map((one) => transferRow(one, isOwn));
  }

  /** A third of them come late. */
  #isListed(hash: string, time: number): boolean {
    const draw = Number.parseInt(hash.slice(2, 4), 16);
    return !this.listsLate || draw >= 80 || this.#now() / 1000 >= time + (draw / 80) * 86_400;
  }

  #page(list: string, query: URLSearchParams, { member, rows, ...about }: List): ServiceAnswer {
    const token = query.get('pageToken');
    const size = Math.min(Number(query.get('pageSize') ?? 10), this.mostRows);
    let walk: Walk = { list, rows, offset: 0, queue: [], at: this.#now() };
    if (token !== null) {
      const known = this.#walks.get(token);
      if (known?.list !== list) return refused(400, 'the page token is not known');
      if (this.#now() - known.at > tokenLifetimeMs || this.#faults.hit('tokenExpired'))
        return refused(400, 'the page token has expired');
      if (this.#faults.hit('forgottenToken')) {
        this.#walks.delete(token);
        return refused(404, 'the page token is gone');
      }
      if (this.tokensAreForOnce) this.#walks.delete(token);
      walk = known;
    }
    const all = walk.rows;
    const whole = all.slice(walk.offset, walk.offset + (walk.size ?? size));
    const end = walk.offset + whole.length;
    const to = (next: Partial<Walk>): string => {
      const name = `token-${this.#tokens++}`;
      this.#walks.set(name, { ...walk, queue: [], size: undefined, ...next });
      return name;
    };
    const [place, ...queue] = walk.queue;
    const inOrder = () =>
      place !== undefined ? to({ offset: place, queue }) : end < all.length ? to({ offset: end }) : undefined;
    const answer = (shown: readonly Row[], next: string | undefined) =>
      json({
        [member]: shown.map((row) => this.#drifted(row)),
        ...about,
        ...(next !== undefined && { nextPageToken: next }),
      });
    const { oneOf } = { oneOf: (...names: Parameters<Faults['oneOf']>[0]) => this.#faults.oneOf(names) };
    if (token === null && this.#faults.hit('emptyFirstPage')) return answer([], to({}));
    if (walk.queue.length > 0 || whole.length === 0) return answer(whole, inOrder());
    switch (
      oneOf(
        'emptyPage',
        'shuffledPage',
        'duplicatePage',
        'shortPage',
        ...(end < all.length ? (['swappedPages', 'overlappingPage', 'missingPage'] as const) : []),
        ...(token !== null ? (['loop'] as const) : []),
      )
    ) {
      case 'emptyPage':
        return answer([], to({}));
      case 'shuffledPage':
        return answer(this.#random.shuffle(whole), inOrder());
      case 'duplicatePage':
        return answer(whole, to({}));
      case 'shortPage': {
        const shown = this.#random.between(1, whole.length);
        return answer(
          whole.slice(0, shown),
          walk.offset + shown < all.length ? to({ offset: walk.offset + shown }) : undefined,
        );
      }
      case 'swappedPages': {
        const second = all.slice(end, end + size);
        const after = end + second.length;
        return answer(second, to({ offset: walk.offset, queue: after < all.length ? [after] : [], size }));
      }
      case 'overlappingPage':
        return answer(whole, to({ offset: Math.max(walk.offset + 1, end - this.#random.between(1, 3)) }));
      case 'missingPage':
        // A list that is read whole every time gets over a page that is left out; elsewhere the page says that it is missing.
        return member === 'validators' || member === 'utxos'
          ? answer(whole, end + size < all.length ? to({ offset: end + size }) : undefined)
          : answer(whole, 'token-of-no-page');
      case 'loop':
        return answer(whole, token ?? undefined);
      default:
        return answer(whole, inOrder());
    }
  }

  /** A row as another release of the service might send it; or one that nobody can read. */
  #drifted(row: Row): Row {
    const changed: Row = { ...row };
    const inner = changed['nativeTransaction'] as Row | undefined;
    if (inner) changed['nativeTransaction'] = this.#drifted(inner);
    if (this.#faults.hit('unknownMember')) changed['futureMember'] = { list: [1, '2', null] };
    if ('blockIndex' in changed && this.#faults.hit('numberAsText'))
      changed['blockIndex'] = String(changed['blockIndex']);
    if ('method' in changed && this.#faults.hit('nullMember')) changed['method'] = null;
    const amount = ['value', 'amountStaked'].find((name) => typeof changed[name] === 'string');
    if (amount !== undefined && this.#faults.hit('unreadableRow')) changed[amount] = '0.7';
    if ('erc721Token' in changed && this.#faults.hit('unreadableRow')) changed['logIndex'] = 'soon';
    return changed;
  }

  /** A chain that is not there yet. Without the P-Chain there is none of the others. */
  #late(path: string): ServiceAnswer | undefined {
    const [, chain] = /^\/ext\/(?:bc|index)\/(\w+)/.exec(path) ?? [];
    const { bootstrapping } = this;
    if (chain === undefined || !bootstrapping?.status) return undefined;
    if (chain === 'C' && bootstrapping.chain === 'P') return { status: 404, body: '404 page not found\n' };
    if (chain !== bootstrapping.chain) return undefined;
    return { status: bootstrapping.status, body: 'API call rejected because chain is not done bootstrapping\n' };
  }

  #rpc(path: string, asked: Call | Call[]): ServiceAnswer {
    // Of several nodes behind one address another one answers each request.
    const late = this.#faults.hit('laggingNode') ? this.#random.between(1, 5) : 0;
    const outcome = (call: Call) => ({
      ...{ jsonrpc: '2.0', id: call.id },
      ...(this.#faults.hit('refusedCall')
        ? { error: this.#random.pick(refusedCalls) }
        : this.#outcome(path, call, late)),
    });
    if (!Array.isArray(asked)) return json(outcome(asked));
    if (this.#faults.hit('refusedBatch')) return this.#random.pick(refusedBatches);
    const answers = asked.map(outcome);
    if (this.#faults.hit('batchIncomplete')) answers.pop();
    return json(this.#faults.hit('batchOutOfOrder') ? this.#random.shuffle(answers) : answers);
  }

  #outcome(path: string, { method, params }: Call, lag: number): { result: unknown } | { error: object } {
    const { alias, chain: asked } = params as Row;
    const late = this.bootstrapping;
    if (late?.chain === 'P' && late.status && [alias, asked].includes('C'))
      return { error: { code: -32000, message: 'there is no chain with alias/ID C' } };
    const said: Readonly<Record<string, unknown>> = {
      'info.getNetworkID': { networkID: '5' },
      'info.isBootstrapped': { isBootstrapped: late?.chain !== asked },
      'info.getBlockchainID': { blockchainID: blockchainIds[String(alias)] },
      eth_chainId: quantity(Number(chainId)),
    };
    if (method in said) return { result: said[method] };
    // Only its health tells a chain that has no path yet from one that the node does not run: it has one as soon as the P-Chain is bootstrapped.
    if (method === 'health.readiness' && late?.chain === 'C' && late.status === 404)
      return { result: { healthy: false } };
    if (path === '/ext/index/P/block') return this.index.outcome(method, params, lag);
    if (path !== '/ext/bc/C/rpc') return { error: { code: -32601, message: `the method ${method} does not exist` } };
    const whole = this.nodeChain ?? this.#world.blocks;
    const chain = whole.slice(0, Math.max(1, whole.length - lag));
    if (method === 'eth_blockNumber') return { result: quantity(chain.length - 1) };
    const [named, full] = params as [string, unknown];
    const [block, transaction] = method.includes('Transaction')
      ? chain
          .flatMap(({ transactions }) => transactions.filter(({ hash }) => hash === named))
          .flatMap((one) => [one.block, one])
      : [chain[Number(named)]];
    if (!block) return { result: null };
    switch (method) {
      case 'eth_getBlockByNumber': {
        if (Number(named) > 0 && this.#faults.hit('otherBlock'))
          return { result: blockRow(chain[Number(named) - 1] as Block, full === true) };
        if (full !== true) return { result: blockRow(block as Block, false) };
        if (this.#faults.hit('missingBlock')) return { result: null };
        const row = blockRow(block as Block, true);
        if (this.#faults.hit('unreadableBlock')) return { result: { ...row, gasUsed: 'soon' } };
        // Nothing stands before the genesis.
        if (Number(named) > 0 && this.#faults.hit('foreignBlock'))
          return { result: { ...row, parentHash: `0x${'f'.repeat(64)}` } };
        return { result: row };
      }
      case 'eth_getBlockReceipts':
        return {
          result: this.#faults.hit('missingReceipts') ? null : this.#detailed(block as Block, chain).map(receiptRow),
        };
      case 'debug_traceBlockByNumber':
        return {
          result: this.#detailed(block as Block, chain).map((one) => ({ txHash: one.hash, result: traceRow(one) })),
        };
      case 'eth_getTransactionReceipt':
        return { result: receiptRow(transaction as Transaction) };
      case 'debug_traceTransaction':
        return { result: traceRow(transaction as Transaction) };
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist` } };
    }
  }

  /** The transactions of a block of which more is asked for; or those of another one. */
  #detailed(block: Block, chain: readonly Block[]): readonly Transaction[] {
    return (this.#faults.hit('foreignDetails') ? this.#random.pick(chain) : block).transactions;
  }
}

/** What servers say that answer the same call a moment later. */
const refusedCalls = [
  { code: -32005, message: 'daily request count exceeded, request rate limited' },
  { code: -32603, message: 'internal error' },
  { code: -32000, message: 'header not found' },
  { code: -32002, message: 'request timed out' },
];
const refusedBatches: readonly ServiceAnswer[] = [
  ...[
    { code: -32600, message: 'batch too large' },
    { code: -32600, message: 'batches are not supported' },
    { code: -32005, message: 'too many requests' },
  ].map((error) => json({ jsonrpc: '2.0', id: null, error })),
  { status: 413, body: '<html><title>413 Request Entity Too Large</title></html>' },
];

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

const blockchainIds: Readonly<Record<string, string>> = {
  P: '11111111111111111111111111111111LpoYY',
  X: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
  C: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
};

const quantity = (value: number | bigint) => `0x${value.toString(16)}`;
/** keccak256('Transfer(address,address,uint256)') */
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** As a topic. */
const wide = (hex: string) => `0x${hex.slice(2).padStart(64, '0')}`;
const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`;

const withoutToken = (query: URLSearchParams) =>
  new URLSearchParams([...query].filter(([name]) => name !== 'pageToken').sort()).toString();

const located = ({ block, hash }: Transaction): Row => ({
  blockNumber: String(block.number),
  blockTimestamp: block.time,
  blockHash: block.hash,
  txHash: hash,
});

const nativeRow = (transaction: Transaction): Row => ({
  ...located(transaction),
  chainId,
  blockIndex: transaction.index,
  txStatus: '1',
  txType: 2,
  gasLimit: '21000',
  gasUsed: '21000',
  gasPrice: '25000000000',
  nonce: String(transaction.nonce),
  from: { address: transaction.from },
  to: { address: transaction.to },
  method: { callType: 'NATIVE_TRANSFER' },
  value: String(transaction.value),
});

const parties = ({ from, to }: Pick<Transaction, 'from' | 'to'>): Row => ({
  from: { address: from },
  to: { address: to },
});

const tokenRows = (transaction: Transaction): Row[] =>
  transaction.tokens.map((tokenId, i) => ({
    ...parties(transaction),
    logIndex: transaction.firstLog + i,
    erc721Token: { address: zeros(20), ercType: 'ERC-721', tokenId: String(tokenId) },
  }));

const callRows = (transaction: Transaction): Row[] =>
  transaction.calls.map((value) => ({
    // Who is called pays back.
    ...parties({ from: transaction.to, to: transaction.from }),
    internalTxType: 'CALL',
    value: String(value),
    isReverted: false,
    gasUsed: '100',
    gasLimit: '200',
  }));

const erc721Rows = (transaction: Transaction) =>
  tokenRows(transaction).map((row) => ({ ...located(transaction), ...row }));
const internalRows = (transaction: Transaction) =>
  callRows(transaction).map((row) => ({ ...located(transaction), ...row }));

const transfersOf = (transaction: Transaction): Row => ({
  ...(transaction.tokens.length > 0 && { erc721Transfers: tokenRows(transaction) }),
  ...(transaction.calls.length > 0 && { internalTransactions: callRows(transaction) }),
});

const validatorRow = ({ txHash, nodeId, amountStaked, delegators, uptime }: World['validators'][number]): Row => ({
  txHash,
  nodeId,
  subnetId: blockchainIds['P'],
  validationStatus: 'active',
  amountStaked: String(amountStaked),
  delegatorCount: delegators,
  uptimePerformance: Number(uptime),
});

const ofPrimary = { chainInfo: { chainName: 'p-chain', network: 'fuji' } };

const ownedBy = (addresses: string) => {
  const asked = addresses.split(',');
  return ({ owner }: Utxo) => asked.includes(owner);
};

const utxoRow = ({ id, owner, amount, createdBy }: Utxo): Row => ({
  utxoId: id,
  addresses: [owner],
  amount: String(amount),
  txHash: createdBy,
});

const transferRow = ({ hash, time, height, value, emitted, consumed }: Transfer, isShown: (utxo: Utxo) => boolean) => ({
  txHash: hash,
  txType: 'BaseTx',
  blockTimestamp: time,
  blockNumber: String(height),
  value: String(value),
  consumedUtxos: consumed.filter(isShown).map(utxoRow),
  emittedUtxos: emitted.filter(isShown).map(utxoRow),
});

const placed = ({ block, hash, index }: Transaction): Row => ({
  blockHash: block.hash,
  blockNumber: quantity(block.number),
  transactionHash: hash,
  transactionIndex: quantity(index),
});

function receiptRow(transaction: Transaction): Row {
  const { index, from, to, tokens } = transaction;
  return {
    ...placed(transaction),
    from,
    to,
    type: '0x2',
    status: '0x1',
    cumulativeGasUsed: quantity(21_000 * (index + 1)),
    gasUsed: quantity(21_000),
    effectiveGasPrice: quantity(25_000_000_000),
    contractAddress: null,
    logsBloom: zeros(256),
    logs: tokens.map((tokenId, i) => ({
      ...placed(transaction),
      logIndex: quantity(transaction.firstLog + i),
      address: zeros(20),
      topics: [transfer, wide(from), wide(to), wide(`0x${tokenId.toString(16)}`)],
      data: '0x',
      removed: false,
    })),
  };
}

const traceRow = ({ from, to, value, calls }: Transaction): Row => ({
  type: 'CALL',
  from,
  to,
  value: quantity(value),
  gas: '0x5208',
  gasUsed: '0x5208',
  input: '0x',
  calls: calls.map((amount) => ({
    type: 'CALL',
    from: to,
    to: from,
    value: quantity(amount),
    gas: '0x1',
    gasUsed: '0x1',
    input: '0x',
  })),
});

const transactionRow = (transaction: Transaction): Row => ({
  blockHash: transaction.block.hash,
  blockNumber: quantity(transaction.block.number),
  transactionIndex: quantity(transaction.index),
  hash: transaction.hash,
  from: transaction.from,
  to: transaction.to,
  type: '0x2',
  nonce: quantity(transaction.nonce),
  gas: quantity(21_000),
  gasPrice: quantity(25_000_000_000),
  value: quantity(transaction.value),
  input: '0x',
});

const blockRow = (block: Block, full: boolean): Row => ({
  number: quantity(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: quantity(block.time),
  gasUsed: quantity(21_000 * block.transactions.length),
  gasLimit: quantity(15_000_000),
  baseFeePerGas: quantity(25_000_000_000),
  miner: zeros(20),
  difficulty: '0x1',
  size: '0x200',
  sha3Uncles: zeros(32),
  stateRoot: zeros(32),
  transactionsRoot: zeros(32),
  receiptsRoot: zeros(32),
  logsBloom: zeros(256),
  extraData: '0x',
  uncles: [],
  transactions: full ? block.transactions.map(transactionRow) : block.transactions.map(({ hash }) => hash),
});
