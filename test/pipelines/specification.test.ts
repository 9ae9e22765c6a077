import { type Devnet, routes, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Json } from '../../devnet/test/services/servicesHarness.ts';
import { exportRequest, exportTypes } from '../../pipelines/data-api/exportRequest.ts';
import { operationRequest, startRequest } from '../../pipelines/data-api/operations.ts';
import { signDefaults, signMessageRequest, signTransactionRequest } from '../../pipelines/data-api/signedMessages.ts';
import { catalogue } from '../../pipelines/index.ts';
import { FirnError } from '../../src/core/firnError.ts';
import type { Request } from '../../src/core/requests/request.ts';
import type { NetworkFacts } from '../../src/core/stream/network.ts';
import type { Partition } from '../../src/core/stream/partition.ts';
import type { PagedStream, Pages } from '../../src/core/stream/stream.ts';
import { drivePages } from '../run/read/drivePages.ts';
import {
  beyond,
  dayAgain,
  type Endpoint,
  everyInterval,
  intervals,
  metrics,
  type Names,
  type Parameter,
  specification,
  type Value,
} from './specification.ts';
import { parametersOf } from './standardHarness.ts';

// Both sides of the specification, parameter by parameter: firn asks for every value within its rules and for none
// outside, and the embedded network serves the ones and answers 400 to the others.

type Given = Readonly<Record<string, unknown>>;
type Asked = Extract<Request, { kind: 'get' | 'post' }>;

let devnet: Devnet;
let names: Names;
let facts: NetworkFacts;
let endpoints: readonly Endpoint[];

/** Names of what cannot be known before the network runs; the table is the same whatever they are. */
const placeholders = new Proxy({}, { get: (_, name) => String(name) }) as Names;
const table = specification(placeholders);
const endpointOf = (index: number) => endpoints[index] as Endpoint;

async function answerOf(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(devnet.url + path, { method, ...init });
  return { status: response.status, json: await response.json() };
}

beforeAll(async () => {
  devnet = await startDevnet({ head: '40%' });
  const streams = (await parametersOf(devnet)) as Record<string, Record<string, string[]>>;
  devnet.moveHead('100%');
  const first = (stream: string, parameter: string) => streams[`data/${stream}`]?.[parameter]?.[0] ?? '';
  const get = async (path: string): Promise<Json> => (await answerOf('GET', path)).json;
  const { chains } = await get('/v1/chains');
  const chainId = first('latest_transactions', 'chainIds');
  const chain = `/v1/chains/${chainId}`;
  const holder = first('collectible_balances', 'addresses');
  const account = first('address_transactions', 'addresses');
  const latest = await get(`${chain}/transactions?pageSize=1`);
  const held = await get(`${chain}/addresses/${holder}/balances:listCollectibles`);
  const exchange = await get('/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=1');
  const exported = { type: exportTypes.evm, options: { addresses: [account], includeChains: [chainId] } };
  const operation = await answerOf('POST', '/v1/operations/transactions:export', exported);
  const l1 = await l1Transaction();
  names = {
    chainId,
    blockchainId: chains[0].platformChainId,
    account,
    token: first('token_transfers', 'addresses'),
    holder,
    collection: held.collectibleBalances[0].address,
    txHash: latest.transactions[0].txHash,
    owner: first('utxos', 'addresses'),
    nodeId: first('validator_details', 'nodeIds'),
    renewing: first('validator_cycles', 'nodeIds'),
    l1ValidationId: l1.l1ValidatorDetails[0].validationId,
    l1TxHash: l1.txHash,
    operationId: operation.json.operationId,
    assetId: exchange.transactions[0].amountCreated[0].assetId,
  };
  expect(Object.entries(names).filter(([, name]) => !name)).toEqual([]);
  facts = {
    networkId: 5,
    network: 'fuji',
    hrp: 'fuji',
    chains: chains.map(({ chainId, chainName, platformChainId }: Json) => ({
      chainId,
      name: chainName,
      blockchainId: platformChainId,
      alias: platformChainId,
      vm: 'evm',
      genesisHash: null,
    })),
  };
  endpoints = specification(names);
});
afterAll(() => devnet.close());

/** A transaction about an L1 validation, wherever in the history it stands. */
async function l1Transaction(): Promise<Json> {
  const list = '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100';
  for (let token = ''; ; ) {
    const { json } = await answerOf('GET', `${list}&pageToken=${token}`);
    const found = json.transactions.find((tx: Json) => tx.l1ValidatorDetails?.length > 0);
    if (found) return found;
    if (!json.nextPageToken) throw new Error('no transaction about an L1');
    token = json.nextPageToken;
  }
}

/** What firn asks where it is configured like this. @throws FirnError with the rule that is broken */
async function requestsOf({ by, base }: Endpoint, given: Given, when?: Parameter['when']): Promise<Asked[]> {
  const all: Given = { ...base, ...given };
  if (by === 'firn sign message') return [signMessageRequest('fuji', { ...signDefaults, ...all }).request as Asked];
  if (by === 'firn sign tx') return [signTransactionRequest('fuji', String(all['txHash'])).request as Asked];
  if (by === 'firn export start') return [startRequest(exportRequest(all as never, facts)) as Asked];
  if (by === 'firn export status') return [operationRequest(String(all['operationId'])) as Asked];
  const stream = catalogue.find(({ id }) => id === by);
  if (!stream || stream.way === 'range') throw new Error(`no stream ${by}`);
  const parsed = (stream.parameters as z.ZodType).safeParse(all);
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw new FirnError('config', said);
  }
  const asked: Asked[] = [];
  for (const partition of stream.partitions(parsed.data as never, facts)) {
    if (stream.way === 'lookup') {
      const { txHashes } = partition.settings as { txHashes: string[] };
      asked.push(...txHashes.map((hash) => stream.request(hash, partition) as Asked));
      continue;
    }
    const window = { position: null, now: Date.now() };
    const again = { from: { time: dayAgain.from }, to: { time: dayAgain.to } };
    const pages =
      when === 'days are read again' && stream.way !== 'snapshot'
        ? stream.between?.(partition, again, window)
        : stream.pages(partition, window, stream.state?.());
    devnet.setFaults(when === 'pages are short' ? { short: 1 } : {});
    await drive(stream as PagedStream, partition, pages as Pages, asked);
    devnet.setFaults({});
  }
  return asked;
}

/** Lets a read ask the network, for a few requests. */
async function drive(stream: PagedStream, partition: Partition, pages: Pages, asked: Asked[]): Promise<void> {
  const stop = new AbortController();
  const most = asked.length + 12;
  const fetch = async (given: Request) => {
    const request = given as Asked;
    if (asked.push(request) === most) stop.abort();
    const { status, json } = await answerOf(
      request.kind.toUpperCase(),
      urlOf(request),
      request.kind === 'post' ? request.body : undefined,
    );
    if (status >= 300) throw new Error(`firn asked ${urlOf(request)}, which is refused: ${JSON.stringify(json)}`);
    return { body: json, fetchedAt: 0, bytes: 0 };
  };
  await drivePages(stream, partition, pages, fetch, stop.signal);
}

const urlOf = ({ path, query = {} }: Pick<Asked, 'path'> & { query?: Asked['query'] }): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return `${path}?${new URLSearchParams(given)}`;
};

/** The value of a parameter in a request; undefined where it is not sent. */
function sentValue(endpoint: Endpoint, name: string, request: Asked): string | undefined {
  const { in: where } = endpoint.parameters[name] ?? {};
  if (where === 'path') {
    const at = endpoint.path.split('/').indexOf(`{${name}}`);
    return request.path.split('/')[at];
  }
  const holder = where === 'query' ? request.query : request.kind === 'post' ? request.body : undefined;
  const value = name.split('.').reduce<Json>((inside, part) => inside?.[part], holder);
  return value === undefined ? undefined : String(value);
}

/** The request that a client sends who sets one parameter, and what the service answers. */
function ask(endpoint: Endpoint, changed: Readonly<Record<string, Value | undefined>> = {}) {
  const inPath = { ...endpoint.path_ };
  const query: Record<string, string | string[]> = { ...endpoint.wire };
  const body = structuredClone(endpoint.body) as Record<string, Json> | undefined;
  for (const [name, value] of Object.entries(changed)) {
    const rule = endpoint.parameters[name];
    Object.assign(query, rule?.wire);
    Object.assign(inPath, rule?.path_);
    if (rule?.in === 'path') inPath[name] = String(value);
    else if (rule?.in === 'body' && body) setMember(body, name, value);
    else if (value === undefined) delete query[name];
    else query[name] = rule?.repeated ? String(value).split(',') : String(value);
  }
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => inPath[name] ?? '');
  return answerOf(endpoint.method, urlOf({ path, query }), body);
}

function setMember(body: Record<string, Json>, name: string, value: Value | undefined): void {
  const [member = '', inner] = name.split('.');
  if (inner === undefined) Object.assign(body, { [member]: value });
  else Object.assign(body[member] ?? {}, { [inner]: value === undefined ? undefined : value === '' ? [] : [value] });
}

const cases = table.flatMap((endpoint, index) =>
  Object.keys(endpoint.parameters).map(
    (name) => [`${endpoint.method} ${endpoint.path}: ${name}`, index, name] as const,
  ),
);

test('the table names every endpoint that the embedded network has, and every stream of the services', () => {
  const listed = table.map(({ method, path }) => `${method} ${path}`);
  expect([...listed, ...beyond].sort()).toEqual(routes.map(({ method, pattern }) => `${method} ${pattern}`).sort());
  const streams = catalogue.filter(({ source }) => ['data', 'metrics'].includes(source.name)).map(({ id }) => id);
  expect(streams.filter((id) => !table.some(({ by }) => by === id))).toEqual([]);
});

describe.each(cases)('%s', (_title, index, name) => {
  test('is asked for by firn as it is written, and served', async () => {
    const endpoint = endpointOf(index);
    const rule = endpoint.parameters[name];
    if (!rule) throw new Error(name);
    let found = 0;
    for (const value of rule.takes) {
      if (name !== 'pageToken') {
        const { status, json } = await ask(endpoint, { [name]: value });
        // The other network exists, and holds nothing.
        const served = status < 300 || (value === 'mainnet' && status === 404);
        expect([value, served, served || json]).toEqual([value, true, true]);
      }
      const given = rule.give(value);
      if (given === null) continue;
      found++;
      const asked = await requestsOf(endpoint, given, rule.when);
      const sent = asked.map((request) => sentValue(endpoint, rule.sentAs ?? name, request));
      const wanted = name === 'pageToken' ? expect.stringMatching(/.{8}/) : String(rule.sends?.(value) ?? value);
      expect(sent, `${value}`).toContainEqual(wanted);
    }
    expect(found, 'firn never asks for it').toBeGreaterThan(0);
  });

  test('outside its rule is refused by firn before it asks, and by the service with a list of messages', async () => {
    const endpoint = endpointOf(index);
    const rule = endpoint.parameters[name];
    for (const value of rule?.refuses ?? []) {
      const { status, json } = await ask(endpoint, { [name]: value });
      const isUnknown = rule?.in === 'path' && status === 404;
      if (!isUnknown) {
        expect([value, status, json]).toEqual([
          value,
          400,
          expect.objectContaining({ message: expect.any(Array), error: 'Bad Request', statusCode: 400 }),
        ]);
        expect(String(json.message)).toContain(name.split('.').at(-1));
      }
      const given = rule?.give(value);
      if (!given) continue;
      await expect(requestsOf(endpoint, given), String(value)).rejects.toSatisfy(
        (error) => error instanceof FirnError && ['config', 'usage'].includes(error.code),
      );
    }
    if (rule?.required) expect(await ask(endpoint, { [name]: undefined })).toMatchObject({ status: 400 });
    if (name === 'pageToken') expect(await ask(endpoint, { pageToken: 'nonsense' })).toMatchObject({ status: 400 });
  });

  test('left out is its default', async () => {
    const endpoint = endpointOf(index);
    const standard = endpoint.parameters[name]?.default;
    if (standard === undefined) return;
    const { nextPageToken: _, ...implied } = (await ask(endpoint)).json;
    const { nextPageToken: __, ...said } = (await ask(endpoint, { [name]: standard })).json;
    expect(said).toEqual(implied);
  });
});

describe('rules that join parameters', () => {
  const at = (path: string) => endpoints.find((endpoint) => `${endpoint.method} ${endpoint.path}` === path) as Endpoint;
  const primary = '/v1/networks/{network}/blockchains/{blockchainId}';
  const time = '1768867200';

  test.each<[string, string, Given, Readonly<Record<string, string>>, RegExp]>([
    [
      'txTypes need addresses',
      `GET ${primary}/transactions`,
      { txTypes: ['BaseTx'] },
      { txTypes: 'BaseTx' },
      /addresses/,
    ],
    [
      'an end needs addresses',
      `GET ${primary}/transactions`,
      { to: '2026-01-20' },
      { endTimestamp: time },
      /addresses/,
    ],
    [
      'so do the types of staking',
      `GET ${primary}/transactions:listStaking`,
      { txTypes: ['AddValidatorTx'] },
      { txTypes: 'AddValidatorTx' },
      /addresses/,
    ],
    [
      'and its start',
      `GET ${primary}/transactions:listStaking`,
      { from: '2026-01-20' },
      { startTimestamp: time },
      /addresses/,
    ],
    [
      'delegationFee sorts on mainnet only',
      'GET /v1/networks/{network}/validators',
      { sortBy: 'delegationFee' },
      { sortBy: 'delegationFee' },
      /mainnet/,
    ],
  ])('%s', async (_, endpoint, given, query, rule) => {
    await expect(requestsOf(at(endpoint), given)).rejects.toThrow(rule);
    const path = at(endpoint).path.replace('{network}', 'fuji').replace('{blockchainId}', 'p-chain');
    const { status, json } = await answerOf('GET', urlOf({ path, query }));
    expect([status, String(json.message)]).toEqual([400, expect.stringMatching(rule)]);
  });

  test.each<[string, string, object]>([
    ['UTXOs of one asset are asked of the X-Chain', `POST ${primary}/utxos`, { assetId: 'a' }],
    [
      'a validation is asked of the P-Chain',
      `GET ${primary}/transactions`,
      { blockchainIds: ['x-chain'], l1ValidationId: 'v', from: '2026-01-20' },
    ],
  ])('%s', async (_, endpoint, given) => {
    await expect(requestsOf(at(endpoint), given as Given)).rejects.toThrow(/only/);
  });

  test('pending rewards need addresses or nodes', async () => {
    const stream = catalogue.find(({ id }) => id === 'data/pending_rewards');
    expect(stream?.parameters.safeParse({}).error?.message).toMatch(/addresses or nodeIds/);
    const { status, json } = await answerOf('GET', '/v1/networks/fuji/rewards:listPending');
    expect([status, json.message]).toEqual([400, ['at least one of addresses or nodeIds is required']]);
  });

  test('quorum and buffer are 100 at most together, and there is something to sign', async () => {
    const post = at('POST /v1/signatureAggregator/{network}/aggregateSignatures');
    await expect(requestsOf(post, { quorumPercentage: 70, quorumPercentageBuffer: 31 })).rejects.toThrow(
      /100 together/,
    );
    await expect(requestsOf(post, { message: undefined })).rejects.toThrow(/--message or --justification/);
    for (const body of [{ message: '0x01', quorumPercentage: 70, quorumPercentageBuffer: 31 }, {}]) {
      const { status, json } = await answerOf('POST', '/v1/signatureAggregator/fuji/aggregateSignatures', body);
      expect([status, json.message]).toEqual([
        400,
        [expect.stringMatching(/less than or equal to 100|must be provided/)],
      ]);
    }
  });

  test('any filter on fees leaves out the validators of subnets, and shows the others', async () => {
    const all = '/v1/networks/fuji/validators?minUptimePerformance=0&pageSize=100';
    const whole = (await answerOf('GET', all)).json.validators;
    const charging = whole.filter((one: Json) => one.delegationFee);
    expect(charging.length).toBeLessThan(whole.length);
    for (const filter of ['minFeePercentage=2', 'maxFeePercentage=100']) {
      expect((await answerOf('GET', `${all}&${filter}`)).json.validators).toEqual(charging);
    }
  });

  test.each(metrics.filter((metric) => !everyInterval.some((name) => name === metric)))(
    '%s has days only',
    async (metric) => {
      const endpoint = at('GET /v2/chains/{chainId}/metrics/{metric}');
      for (const timeInterval of intervals.filter((interval) => interval !== 'day')) {
        await expect(requestsOf(endpoint, { metrics: [metric], timeIntervals: [timeInterval] })).rejects.toThrow(
          /by day only/,
        );
        const { status, json } = await ask(endpoint, { metric, timeInterval });
        expect([status, json.message]).toEqual([400, ['timeInterval must be one of the following values: day']]);
      }
    },
  );
});

test.each(cases.filter(([, index, name]) => table[index]?.parameters[name]?.repeated))(
  '%s is refused as one text with commas',
  async (_title, index, name) => {
    const { method, path: template, path_, parameters, wire } = endpointOf(index);
    const path = template.replace(/\{(\w+)\}/g, (_, part: string) => String(path_[part] ?? ''));
    const joined = parameters[name]?.takes.find((value) => String(value).includes(','));
    const query = { ...wire, ...parameters[name]?.wire, [name]: String(joined) };
    const { status } = await answerOf(method, urlOf({ path, query }));
    expect(status).toBe(400);
  },
);
