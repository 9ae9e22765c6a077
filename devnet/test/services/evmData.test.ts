import { beforeAll, describe, expect, test } from 'vitest';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

let services: Harness;
/** All transactions of the C-Chain, newest first, as the recording has them. */
let recorded: { block: Json; transaction: Json; receipt: Json; trace: Json }[];

beforeAll(async () => {
  services = harness(await packedLedger());
  recorded = services.ledger.c.blocks
    .flatMap((record) => {
      const [block, receipts, traces] = [record.block, record.receipts, record.traces ?? '[]'].map((raw) =>
        JSON.parse(raw),
      );
      return block.transactions.map((transaction: Json, at: number) => ({
        block,
        transaction,
        receipt: receipts[at],
        trace: traces[at].result,
      }));
    })
    .reverse();
});

const number = (hex: string): string => BigInt(hex).toString();
const c = '/v1/chains/43112';
const somebody = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

describe('chains', () => {
  test('lists every EVM chain of the ledger, and filters by network and feature', () => {
    const ids = (url: string): string[] => services.get(url).json.chains.map(({ chainId }: Json) => chainId);
    expect(ids('/v1/chains')).toEqual(['43112', '99001']);
    expect(ids('/v1/chains?network=testnet')).toEqual(ids('/v1/chains?network=fuji'));
    expect(ids('/v1/chains?network=mainnet')).toEqual([]);
    expect(ids('/v1/chains?feature=teleporter')).toEqual(['43112']);
    expect(ids('/v1/chains?feature=webhooks')).toEqual([]);
    expect(services.get('/v1/chains?feature=x&network=y').json.message).toHaveLength(2);
  });

  test('gives one chain by either id', () => {
    const { json } = services.get('/v1/chains/99001');
    expect(json).toMatchObject({ chainId: '99001', status: 'OK', vmName: 'EVM', isTestnet: true });
    expect(services.get(`/v1/chains/${json.platformChainId}`).json).toEqual(json);
    expect(services.get('/v1/chains/43114').status).toBe(404);
  });
});

describe('latest transactions', () => {
  test('are all transactions of the chain, newest first', { tags: 'long' }, () => {
    const rows = services.all(`${c}/transactions?pageSize=100`, 'transactions');
    expect(rows.map(({ txHash }) => txHash)).toEqual(recorded.map(({ transaction }) => transaction.hash));
    const told = rows.map(({ from, to, method, blockTimestampMilliseconds, blockMinDelayExcess, ...row }) => ({
      ...row,
      from: from.address.toLowerCase(),
      to: to.address.toLowerCase(),
      creates: method.callType === 'CONTRACT_CREATION',
    }));
    expect(told).toEqual(
      recorded.map(({ block, transaction, receipt }) => ({
        blockNumber: number(block.number),
        blockTimestamp: Number(block.timestamp),
        blockHash: block.hash,
        chainId: '43112',
        blockIndex: Number(transaction.transactionIndex),
        txHash: transaction.hash,
        txStatus: number(receipt.status),
        txType: Number(transaction.type),
        gasLimit: number(transaction.gas),
        gasUsed: number(receipt.gasUsed),
        gasPrice: number(receipt.effectiveGasPrice),
        nonce: number(transaction.nonce),
        value: number(transaction.value),
        from: transaction.from,
        to: transaction.to ?? `0x${'0'.repeat(40)}`,
        creates: transaction.to === null,
      })),
    );
  });

  test.each([
    ['failed', '0x0'],
    ['success', '0x1'],
  ])('with status %s', (status, wanted) => {
    const rows = services.all(`${c}/transactions?pageSize=100&status=${status}`, 'transactions');
    const expected = recorded.filter(({ receipt }) => receipt.status === wanted);
    expect(rows.map(({ txHash }) => txHash)).toEqual(expected.map(({ transaction }) => transaction.hash));
  });

  test('has 10 a page unless asked otherwise and 100 at most', () => {
    expect(services.get(`${c}/transactions`).json.transactions).toHaveLength(10);
    expect(services.get(`${c}/transactions?pageSize=101`).json.message).toEqual([
      'pageSize must not be greater than 100',
    ]);
    expect(services.get(`${c}/transactions?status=maybe`).status).toBe(400);
    expect(services.get(`${c}/transactions?sortOrder=asc`).json.message).toEqual([
      'property sortOrder should not exist',
    ]);
  });

  test('pages do not shift while the chain grows, and the next read sees the new rows', () => {
    services.head = Date.parse('2026-03-01T00:00:00Z');
    const first = services.get(`${c}/transactions?pageSize=100`).json;
    services.head = services.ledger.lastMoment;
    const second = services.get(`${c}/transactions?pageSize=100&pageToken=${first.nextPageToken}`).json;
    const hashes = [...first.transactions, ...second.transactions].map(({ txHash }) => txHash);
    const all = recorded.map(({ transaction }) => transaction.hash);
    const from = all.indexOf(hashes[0]);
    expect(from).toBeGreaterThan(0);
    expect(hashes).toEqual(all.slice(from, from + 200));
  });
});

describe('one transaction', () => {
  test('is the complete view', () => {
    const { transaction, receipt } = recorded.find(({ receipt }) => receipt.logs.length > 1) as Json;
    const { json } = services.get(`${c}/transactions/${transaction.hash}`);
    expect(json.nativeTransaction).toMatchObject({ txHash: transaction.hash, input: transaction.input });
    expect(json.networkTokenDetails.networkToken.symbol).toBe('AVAX');
    const transfers = [
      ...(json.erc20Transfers ?? []),
      ...(json.erc721Transfers ?? []),
      ...(json.erc1155Transfers ?? []),
    ];
    const known = new Set(receipt.logs.map(({ logIndex }: Json) => Number(logIndex)));
    expect(transfers.length).toBeGreaterThan(0);
    expect(transfers.every(({ logIndex }) => known.has(logIndex))).toBe(true);
  });

  test('is a 404 while it lies ahead, and a 400 where it is no hash', () => {
    const { hash } = (recorded[0] as Json).transaction;
    services.head = services.ledger.lastMoment - 3_600_000;
    expect(services.get(`${c}/transactions/${hash}`).status).toBe(404);
    services.head = services.ledger.lastMoment;
    expect(services.get(`${c}/transactions/${hash}`).status).toBe(200);
    expect(services.get(`${c}/transactions/0x12`).status).toBe(400);
  });
});

const topicAddress = (topic: string): string => `0x${topic.slice(-40)}`;
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

describe('an address', () => {
  test('has every transaction from or to it, and those whose tokens or value touch it', () => {
    const rows = services.all(`${c}/addresses/${somebody}/transactions?pageSize=100`, 'transactions');
    const hashes = new Set(rows.map(({ nativeTransaction }) => nativeTransaction.txHash));
    const own = recorded.filter(({ transaction }) => [transaction.from, transaction.to].includes(somebody));
    expect(own.length).toBeGreaterThan(50);
    for (const { transaction } of own) expect(hashes.has(transaction.hash)).toBe(true);
    expect(hashes.size).toBe(rows.length);
    const erc20 = recorded.filter(({ receipt }) =>
      receipt.logs.some(
        ({ topics, data }: Json) =>
          topics[0] === transferTopic &&
          topics.length === 3 &&
          data.length >= 66 &&
          topics.slice(1).map(topicAddress).includes(somebody),
      ),
    );
    for (const { transaction } of erc20) expect(hashes.has(transaction.hash)).toBe(true);
    for (const row of rows) {
      const lists = [row.erc20Transfers, row.erc721Transfers, row.erc1155Transfers, row.internalTransactions];
      for (const entry of lists.flatMap((list) => list ?? [])) {
        expect([entry.from.address.toLowerCase(), entry.to.address.toLowerCase()]).toContain(somebody);
      }
    }
  });

  test('reads the same backwards', () => {
    const url = `${c}/addresses/${somebody}/transactions?pageSize=100`;
    const down = services.all(`${url}&sortOrder=desc`, 'transactions');
    expect(services.all(`${url}&sortOrder=asc`, 'transactions')).toEqual(down.toReversed());
  });

  test('takes every pair of block bounds: start included, end not', () => {
    const url = `${c}/addresses/${somebody}/transactions?pageSize=100&sortOrder=asc`;
    const heights = (more: string): number[] =>
      services.all(url + more, 'transactions').map(({ nativeTransaction }) => Number(nativeTransaction.blockNumber));
    const all = heights('');
    const [low, high] = [all[10] ?? 0, all[60] ?? 0];
    expect(heights(`&startBlock=${low}&endBlock=${high}`)).toEqual(all.filter((at) => at >= low && at < high));
    expect(heights(`&startBlock=${low}`)).toEqual(all.filter((at) => at >= low));
    expect(heights(`&endBlock=${high}`)).toEqual(all.filter((at) => at < high));
    expect(heights(`&startBlock=${high}&endBlock=${low}`)).toEqual([]);
    expect(services.get(`${url}&startBlock=x`).status).toBe(400);
  });

  test('may be one nobody has heard of, but not one that is none', () => {
    const { json } = services.get(`${c}/addresses/0x${'12'.repeat(20)}/transactions`);
    expect(json).toEqual({ transactions: [] });
    expect(services.get(`${c}/addresses/0x12/transactions`).json.message).toEqual([
      'address must be an Ethereum address',
    ]);
  });

  test('has its ERC-721 transfers in a list of their own', () => {
    const rows = services.all(
      `${c}/addresses/0x${'0'.repeat(40)}/transactions:listErc721?pageSize=100`,
      'transactions',
    );
    const logs = recorded.flatMap(({ transaction, receipt }) =>
      receipt.logs
        .filter(({ topics }: Json) => topics[0] === transferTopic && topics.length === 4)
        .filter(({ topics }: Json) => topics.slice(1, 3).some((topic: string) => BigInt(topicAddress(topic)) === 0n))
        .map((log: Json) => `${transaction.hash} ${Number(log.logIndex)} ${BigInt(log.topics[3])}`),
    );
    expect(rows.map((row) => `${row.txHash} ${row.logIndex} ${row.erc721Token.tokenId}`).sort()).toEqual(logs.sort());
    expect(rows[0].erc721Token).toMatchObject({ ercType: 'ERC-721' });
  });

  test('has its internal transactions: calls that move value, and creations, never the outermost frame', () => {
    const frames = (trace: Json): Json[] => (trace.calls ?? []).flatMap((call: Json) => [call, ...frames(call)]);
    const wanted = recorded.flatMap(({ transaction, trace }) =>
      frames(trace)
        .filter(({ type, value }) => /^CREATE/.test(type) || (type === 'CALL' && BigInt(value ?? 0) > 0n))
        .map((frame) => ({ hash: transaction.hash, ...frame })),
    );
    const counts = new Map<string, number>();
    for (const { from } of wanted) counts.set(from, (counts.get(from) ?? 0) + 1);
    const [busiest] = [...counts].sort(([, a], [, b]) => b - a)[0] as [string, number];
    const rows = services.all(`${c}/addresses/${busiest}/transactions:listInternals?pageSize=100`, 'transactions');
    const own = wanted.filter(({ from, to }) => from === busiest || to === busiest);
    const told = (hash: string, type: string, value: string, gasUsed: string): string =>
      `${hash} ${type} ${value} ${gasUsed}`;
    expect(rows.map((row) => told(row.txHash, row.internalTxType, row.value, row.gasUsed)).sort()).toEqual(
      own.map((frame) => told(frame.hash, frame.type, number(frame.value ?? '0x0'), number(frame.gasUsed))).sort(),
    );
    expect(rows.some(({ isReverted }) => isReverted)).toBe(true);
    expect(rows.some(({ isReverted }) => !isReverted)).toBe(true);
  });
});

describe('a token contract', () => {
  test('has its transfers in the shape of its standard', () => {
    let batches = 0;
    const contracts = new Set(recorded.flatMap(({ receipt }) => receipt.logs.map(({ address }: Json) => address)));
    const kinds = new Set<string>();
    for (const contract of contracts) {
      const rows = services.all(`${c}/tokens/${contract}/transfers?pageSize=100`, 'transfers');
      for (const row of rows) {
        const token = row.erc20Token ?? row.erc721Token ?? row.erc1155Token;
        expect(token.address.toLowerCase()).toBe(contract);
        kinds.add(token.ercType);
      }
      const places = rows.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`);
      batches += places.length - new Set(places).size;
    }
    expect([...kinds].sort()).toEqual(['ERC-1155', 'ERC-20', 'ERC-721']);
    expect(batches).toBeGreaterThan(0);
  });

  test('keeps amounts of 256 bits and the strangest names whole', () => {
    const contracts = new Set<string>(
      recorded.flatMap(({ receipt }) => receipt.logs.map(({ address }: Json) => address)),
    );
    const rows = [...contracts]
      .flatMap((contract) => services.all(`${c}/tokens/${contract}/transfers?pageSize=100`, 'transfers'))
      .filter(({ erc20Token }) => erc20Token !== undefined);
    const names: string[] = [...new Set(rows.map(({ erc20Token }) => erc20Token.name))];
    expect(names.some((name) => name.length >= 300)).toBe(true);
    expect(names.some((name) => name.includes('\u0000'))).toBe(true);
    expect(names.some((name) => name.includes('"'))).toBe(true);
    const largest = rows.reduce((most, { value }) => (BigInt(value) > most ? BigInt(value) : most), 0n);
    expect(largest).toBe(2n ** 256n - 1n);
  });
});
