import type { Avalanche } from '@avalanche-sdk/chainkit';
import type { HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js';
import { type Devnet, findRoute, routes, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../devnet/test/services/servicesHarness.ts';
import { metrics } from '../pipelines/specification.ts';
import { parametersOf } from '../pipelines/standardHarness.ts';
import { tally } from './tally.ts';

/** What an SDK exports; chainkit has its predecessor's methods under the same names. */
export interface Sdk {
  readonly name: string;
  readonly Avalanche: typeof Avalanche;
  readonly HTTPClient: typeof HTTPClient;
  /** Members that it does not know, with the one that they stand in where they stand in one. */
  readonly unknown: readonly string[];
  /** Names of tests whose answers it refuses, or whose questions it cannot ask. */
  readonly refuses: readonly string[];
  /** Whether it asks for UTXOs by POST too. */
  readonly posts: boolean;
}

/**
 * Declares the tests of an official SDK against the embedded network. The SDKs refuse what their published schemas do not know: an
 * unknown word, a missing member, a number for text. What one reads here to the last page, it reads of the hosted services as well.
 */
export function sdkSuite({ name, Avalanche, HTTPClient, unknown, refuses, posts }: Sdk): void {
  let devnet: Devnet;
  let sdk: Avalanche;
  /** Every request takes the server's address along: the SDK's own list of servers must never be asked. */
  let at: { serverURL: string };
  let asked: Set<string>;
  /** Answers that the SDK was given since this was last emptied. */
  let sent: Promise<Json>[] = [];
  const met = new Set<string>();
  /** Names of what there is, found by asking the network itself. */
  let known: {
    readonly chainIds: string[];
    readonly account: string;
    readonly token: string;
    readonly holder: string;
    readonly collection: string;
    readonly owners: string;
    readonly nodeIds: string[];
    readonly l1ValidationId: string;
  };

  const json = async (path: string): Promise<Json> => (await fetch(devnet.url + path)).json();

  beforeAll(async () => {
    devnet = await startDevnet({ head: '40%', services: { exportPolls: 1, nonLinearTransactions: true } });
    at = { serverURL: devnet.url };
    asked = new Set();
    const { host } = new URL(devnet.url);
    const httpClient = new HTTPClient({
      fetcher: async (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        if (url.host !== host) throw new Error(`the SDK asks ${url.host}`);
        tally(`requests of ${name}`);
        asked.add(
          `${input instanceof Request ? input.method : (init?.method ?? 'GET')} ${decodeURIComponent(url.pathname)}`,
        );
        const response = await (init === undefined ? fetch(input) : fetch(input, init));
        sent.push(response.clone().json());
        return response;
      },
    });
    sdk = new Avalanche({
      serverURL: devnet.url,
      network: 'fuji',
      enableTelemetry: false,
      avacloud: false,
      httpClient,
      retryConfig: { strategy: 'none' },
    });
    const streams = (await parametersOf(devnet)) as Record<string, Record<string, string[]>>;
    const of = (stream: string, parameter: string) => streams[`data/${stream}`]?.[parameter] ?? [];
    devnet.moveHead('100%');
    const ids: string[] = [];
    for (let token: string | undefined = ''; ids.length === 0 && token !== undefined; ) {
      const page = await pageOf(`${primary('p-chain')}/transactions?pageSize=100`, undefined, token);
      ids.push(
        ...listOf(page)
          .flatMap((tx) => tx.l1ValidatorDetails ?? [])
          .map(({ validationId }) => validationId),
      );
      token = page.nextPageToken;
    }
    const collectibles = await json(
      `/v1/chains/${of('collectible_balances', 'chainIds')[0]}/addresses/${of('collectible_balances', 'addresses')[0]}/balances:listCollectibles`,
    );
    known = {
      chainIds: of('latest_transactions', 'chainIds'),
      account: of('address_transactions', 'addresses')[0] ?? '',
      token: of('token_transfers', 'addresses')[0] ?? '',
      holder: of('collectible_balances', 'addresses')[0] ?? '',
      collection: collectibles.collectibleBalances[0]?.address,
      owners: of('utxos', 'addresses').join(','),
      nodeIds: of('validator_details', 'nodeIds'),
      l1ValidationId: ids[0] ?? '',
    };
  });
  afterAll(() => devnet.close());

  /** Rows of a list, page after page as the SDK turns them. */
  async function rowsOf(pages: Promise<AsyncIterable<{ readonly result: object }>>): Promise<Json[]> {
    const rows: Json[] = [];
    for await (const { result } of await pages) rows.push(...(Object.values(result).find(Array.isArray) ?? []));
    return rows;
  }

  /** A page of a list by its URL. */
  async function pageOf(path: string, body?: object, token = ''): Promise<Json> {
    const page = `${devnet.url}${path}${path.includes('?') ? '&' : '?'}pageToken=${token}`;
    const init = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    return (await fetch(page, init)).json();
  }

  /** The list is the only member of a page that is one. */
  function listOf(page: Json): Json[] {
    const list = Object.values(page).find(Array.isArray);
    if (!list) throw new Error(`no list: ${JSON.stringify(page)}`);
    return list;
  }

  /** Reads a list to its last page: what the SDK reads is what it was sent, and by its URL the list begins the same. */
  async function expectWhole(pages: Parameters<typeof rowsOf>[0], path: string, body?: object): Promise<Json[]> {
    sent = [];
    const rows = await rowsOf(pages);
    const answers = await Promise.all(sent);
    expectSame(rows, answers.flatMap(listOf));
    expect(answers.at(-1).nextPageToken ?? '').toBe('');
    expect(listOf(await pageOf(path, body))).toEqual(listOf(answers[0]));
    return rows;
  }

  const expectRefused = (read: Promise<unknown>) =>
    expect(read).rejects.toMatchObject({ name: expect.stringMatching(/ValidationError$/) });

  /** What the SDK read is what was sent: it leaves out members that it does not know, and they are the ones named. */
  function expectSame(rows: readonly Json[], sent: readonly Json[]): void {
    expect(rows).toEqual(sent.map((row) => without(row)));
    tally(`rows read by ${name}`, rows.length);
  }

  /** A value without the members that the SDK does not know; what no specification types is an object without members to it. */
  function without(value: Json, path = ''): Json {
    if (Array.isArray(value)) return value.map((item) => without(item, path));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([member, inner]) => {
        const name = unknown.find((one) => `${path}.${member}`.endsWith(`.${one}`));
        if (name === undefined) return [[member, without(inner, `${path}.${member}`)]];
        met.add(name);
        return [];
      }),
    );
  }

  const network = '/v1/networks/fuji';
  const chain = (id: string) => `/v1/chains/${id}`;
  const primary = (id: string) => `${network}/blockchains/${id}`;
  const primaryChains = ['p-chain', 'x-chain', 'c-chain'] as const;

  type Case = readonly [
    name: string,
    pages: () => Promise<AsyncIterable<{ readonly result: object }>>,
    /** The same list by its URL. */
    path: () => string,
    body?: () => object,
  ];

  const ofChains = [0, 1];
  const lists: readonly Case[] = [
    ...ofChains.map(
      (n): Case => [
        `latest transactions of chain ${n}`,
        () => sdk.data.evm.transactions.listLatest({ chainId: known.chainIds[n] ?? '', pageSize: 100 }, at),
        () => `${chain(known.chainIds[n] ?? '')}/transactions?pageSize=100`,
      ],
    ),
    [
      'failed transactions',
      () =>
        sdk.data.evm.transactions.listLatest({ chainId: known.chainIds[0] ?? '', status: 'failed', pageSize: 100 }, at),
      () => `${chain(known.chainIds[0] ?? '')}/transactions?status=failed&pageSize=100`,
    ],
    [
      'transactions of an address',
      () =>
        sdk.data.evm.address.transactions.list(
          { chainId: known.chainIds[0] ?? '', address: known.account, sortOrder: 'asc', pageSize: 100 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/addresses/${known.account}/transactions?sortOrder=asc&pageSize=100`,
    ],
    [
      'ERC-721 transfers of an address',
      () =>
        sdk.data.evm.address.transactions.listErc721(
          { chainId: known.chainIds[0] ?? '', address: known.holder, pageSize: 100 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/addresses/${known.holder}/transactions:listErc721?pageSize=100`,
    ],
    [
      'internal transactions of an address',
      () =>
        sdk.data.evm.address.transactions.listInternal(
          { chainId: known.chainIds[0] ?? '', address: known.account, pageSize: 100 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/addresses/${known.account}/transactions:listInternals?pageSize=100`,
    ],
    [
      'transfers of a token',
      () =>
        sdk.data.evm.contracts.listTransfers(
          { chainId: known.chainIds[0] ?? '', address: known.token, pageSize: 100 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/tokens/${known.token}/transfers?pageSize=100`,
    ],
    [
      'transfers of a collection',
      () =>
        sdk.data.evm.contracts.listTransfers(
          { chainId: known.chainIds[0] ?? '', address: known.collection, pageSize: 100 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/tokens/${known.collection}/transfers?pageSize=100`,
    ],
    [
      'collectibles of an address',
      () =>
        sdk.data.evm.address.balances.listCollectibles(
          { chainId: known.chainIds[0] ?? '', address: known.holder, pageSize: 2 },
          at,
        ),
      () => `${chain(known.chainIds[0] ?? '')}/addresses/${known.holder}/balances:listCollectibles?pageSize=2`,
    ],
    [
      'tokens of a collection',
      () => sdk.data.nfts.list({ chainId: known.chainIds[0] ?? '', address: known.collection, pageSize: 3 }, at),
      () => `${chain(known.chainIds[0] ?? '')}/nfts/collections/${known.collection}/tokens?pageSize=3`,
    ],
    ...(posts ? primaryChains : []).map(
      (blockchainId): Case => [
        `UTXOs of the ${blockchainId}`,
        () =>
          sdk.data.primaryNetwork.utxos.listByAddressesV2(
            {
              blockchainId,
              includeSpent: true,
              pageSize: 50,
              primaryNetworkAddressesBodyDto: { addresses: known.owners },
            },
            at,
          ),
        () => `${primary(blockchainId)}/utxos?includeSpent=true&pageSize=50`,
        () => ({ addresses: known.owners }),
      ],
    ),
    [
      'UTXOs by GET',
      () =>
        sdk.data.primaryNetwork.utxos.listByAddresses(
          { blockchainId: 'p-chain', addresses: known.owners, pageSize: 20 },
          at,
        ),
      () => `${primary('p-chain')}/utxos?addresses=${known.owners}&pageSize=20`,
    ],
    ...primaryChains.map(
      (blockchainId): Case => [
        `transactions of the ${blockchainId}`,
        () => sdk.data.primaryNetwork.transactions.listLatest({ blockchainId, pageSize: 100 }, at),
        () => `${primary(blockchainId)}/transactions?pageSize=100`,
      ],
    ),
    [
      'transactions of one validation',
      () =>
        sdk.data.primaryNetwork.transactions.listLatest(
          { blockchainId: 'p-chain', l1ValidationId: known.l1ValidationId, pageSize: 2 },
          at,
        ),
      () => `${primary('p-chain')}/transactions?l1ValidationId=${known.l1ValidationId}&pageSize=2`,
    ],
    [
      'staking transactions',
      () =>
        sdk.data.primaryNetwork.transactions.listActiveStakingTransactions(
          { blockchainId: 'p-chain', pageSize: 3 },
          at,
        ),
      () => `${primary('p-chain')}/transactions:listStaking?pageSize=3`,
    ],
    [
      'vertices',
      () =>
        sdk.data.primaryNetwork.vertices.listByHeight({ blockchainId: 'x-chain', vertexHeight: 3, pageSize: 1 }, at),
      () => `${primary('x-chain')}/vertices:listByHeight?vertexHeight=3&pageSize=1`,
    ],
    [
      'validators',
      () => sdk.data.primaryNetwork.listValidators({ minUptimePerformance: 0, pageSize: 3 }, at),
      () => `${network}/validators?minUptimePerformance=0&pageSize=3`,
    ],
    [
      'one validator',
      () => sdk.data.primaryNetwork.getValidatorDetails({ nodeId: known.nodeIds[0] ?? '', pageSize: 1 }, at),
      () => `${network}/validators/${known.nodeIds[0]}?pageSize=1`,
    ],
    [
      'delegators',
      () => sdk.data.primaryNetwork.listDelegators({ pageSize: 3 }, at),
      () => `${network}/delegators?pageSize=3`,
    ],
    [
      'pending rewards',
      () => sdk.data.primaryNetwork.rewards.listPendingRewards({ nodeIds: known.nodeIds.join(','), pageSize: 3 }, at),
      () => `${network}/rewards:listPending?nodeIds=${known.nodeIds.join(',')}&pageSize=3`,
    ],
  ];

  test.for(lists)('%s: every row to the last page', async ([title, pages, path, body]) => {
    if (refuses.includes(title)) return expectRefused(rowsOf(pages()));
    const rows = await expectWhole(pages(), path(), body?.());
    expect(rows.length).toBeGreaterThan(0);
  });

  test.each(metrics)('metric %s by day', async (metric) => {
    const chainIds = [known.chainIds[0] ?? '', 'total'];
    for (const chainId of chainIds) {
      if (refuses.includes(`metric ${metric}`))
        return expectRefused(rowsOf(sdk.metrics.chains.getMetrics({ chainId, metric, timeInterval: 'day' }, at)));
      const path = `/v2/chains/${chainId}/metrics/${metric}?timeInterval=day&pageSize=7`;
      const pages = sdk.metrics.chains.getMetrics({ chainId, metric, timeInterval: 'day', pageSize: 7 }, at);
      expect((await expectWhole(pages, path)).length).toBeGreaterThan(7);
    }
  });

  test.each(['hour', 'week', 'month'] as const)('a metric by %s', async (timeInterval) => {
    const chainId = known.chainIds[0] ?? '';
    const pages = sdk.metrics.chains.getMetrics({ chainId, metric: 'gasUsed', timeInterval }, at);
    await expectWhole(pages, `/v2/chains/${chainId}/metrics/gasUsed?timeInterval=${timeInterval}`);
  });

  describe('single answers', () => {
    test('chains, all and one by one', async () => {
      const chains = await sdk.data.evm.chains.list({}, at);
      expect(chains.chains.map(({ chainId }) => chainId)).toEqual(known.chainIds);
      for (const feature of ['nftIndexing', 'teleporter'] as const) await sdk.data.evm.chains.list({ feature }, at);
      for (const chainId of known.chainIds) {
        expect((await sdk.data.evm.chains.get({ chainId }, at)).chainId).toBe(chainId);
        await sdk.metrics.chains.get({ chainId }, at);
      }
      expect(await rowsOf(sdk.metrics.chains.list({}, at))).toHaveLength(known.chainIds.length);
    });

    test('transactions by hash', async () => {
      for (const chainId of known.chainIds) {
        const { transactions } = await json(`${chain(chainId)}/transactions?pageSize=50`);
        for (const { txHash } of transactions) {
          const { nativeTransaction } = await sdk.data.evm.transactions.get({ chainId, txHash }, at);
          expect(nativeTransaction.txHash).toBe(txHash);
        }
      }
    });

    test('every transaction of the Primary Network by its id', async () => {
      for (const blockchainId of primaryChains) {
        const { transactions } = await json(`${primary(blockchainId)}/transactions?pageSize=50`);
        for (const { txHash } of transactions) {
          const transaction = await sdk.data.primaryNetwork.transactions.get({ blockchainId, txHash }, at);
          expect(transaction.txHash).toBe(txHash);
        }
      }
    });

    test('an export, asked for and done', async () => {
      const created = await sdk.data.operations.exportTransactions(
        {
          type: 'TRANSACTION_EXPORT_EVM',
          firstDate: '2026-01-20',
          lastDate: '2026-01-22',
          options: { addresses: [known.account], includeChains: [known.chainIds[0] ?? ''] },
        },
        at,
      );
      const { operationId } = created;
      for (let polls = 0; polls < 5; polls++) {
        const { operationStatus, metadata } = await sdk.data.operations.getResult({ operationId }, at);
        if (operationStatus !== 'RUNNING') {
          expect([operationStatus, metadata?.downloadUrl]).toEqual(['COMPLETED', expect.stringContaining('/exports/')]);
          return;
        }
      }
      throw new Error('the export does not end');
    });

    test('signatures, of a message and of a transaction', async () => {
      const request = { network: 'fuji', signatureAggregatorRequest: { message: '0x00' } } as const;
      expect((await sdk.data.signatureAggregator.aggregate(request, at)).signedMessage).toMatch(/^[0-9a-f]+$/);
      const { transactions } = await json(`${primary('p-chain')}/transactions?l1ValidationId=${known.l1ValidationId}`);
      const { signedMessage } = await sdk.data.signatureAggregator.get(
        { network: 'fuji', txHash: transactions[0].txHash },
        at,
      );
      expect(signedMessage).toMatch(/^[0-9a-f]+$/);
    });

    test('refusals are errors that the SDK knows', async () => {
      const chainId = known.chainIds[0] ?? '';
      await expect(sdk.data.evm.transactions.listLatest({ chainId, pageSize: 101 }, at)).rejects.toMatchObject({
        name: expect.stringMatching(/^BadRequest/),
      });
      await expect(sdk.data.operations.getResult({ operationId: 'nothing' }, at)).rejects.toMatchObject({
        name: expect.stringMatching(/^NotFound/),
      });
    });
  });

  test('a member, a word or a type that the schemas do not know is refused: what was read above fits them', async () => {
    const chainId = known.chainIds[0] ?? '';
    devnet.setFaults({ drift: 1 });
    await expectRefused(rowsOf(sdk.data.evm.transactions.listLatest({ chainId, pageSize: 10 }, at)));
    devnet.setFaults({});
  });

  test('members that the SDK does not know were sent', () => {
    expect([...met].sort()).toEqual([...unknown].sort());
  });

  test('every endpoint was asked', () => {
    const found = [...asked]
      .map((one) => one.split(/ (.*)/s))
      .map(([method = '', path = '']) => findRoute(method, path));
    const unasked = routes.filter((route) => !found.some((one) => one?.route === route));
    // Files are downloaded from the signed URL, which is no endpoint; cycles are younger than these SDKs.
    const expected = [
      'GET /exports/{file}',
      `GET ${network}/validators/{nodeId}/cycles`,
      ...(posts ? [] : [`POST ${primary('{blockchainId}')}/utxos`]),
    ];
    expect(unasked.map(({ method, pattern }) => `${method} ${pattern.replace('{network}', 'fuji')}`).sort()).toEqual(
      expected,
    );
  });
}
