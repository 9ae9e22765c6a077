import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answeredOtherwise, avalancheMembers, notOffered } from './disagreements.ts';
import { tally } from './tally.ts';

// Ethereum's specification of the JSON-RPC (OpenRPC, with a JSON Schema a method) as a wallet publishes it, against both EVM chains
// of the embedded node: every method of it is called, and every answer is held against its schema.

interface Method {
  readonly name: string;
  readonly result?: { readonly schema?: object };
}
interface Specification {
  readonly methods: readonly Method[];
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> };
}
interface SchemaNode {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly [key: string]: unknown;
}
type Answer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } };
type Block = { number: string; hash: string; transactions: { hash: string; from: string; transactionIndex: string }[] };

const file = createRequire(import.meta.url).resolve('@metamask/api-specs/dist/build/openrpc.json');
const { methods, components } = JSON.parse(readFileSync(file, 'utf8')) as Specification;
/** Methods of wallets, which no node has. */
const ofWallets =
  /^(wallet_|personal_|eth_(signTypedData|requestAccounts|sendTransaction|decrypt|getEncryption|accounts))/;
const specified = methods.filter(({ name }) => !ofWallets.test(name));

/** Members that the specification does not list are looked at apart: objects are open here, and more than one of several shapes may fit. */
const opened = (schema: unknown): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      (key === 'additionalProperties' || key === 'unevaluatedProperties') && value === false ? undefined : value,
    )
      .replaceAll('"oneOf":', '"anyOf":')
      .replaceAll('"#/components', '"spec#/components'),
  );
const ajv = new Ajv2019({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'spec', ...opened({ components }) });
const validators = new Map(specified.map(({ name, result }) => [name, ajv.compile(opened(result?.schema ?? {}))]));

/** Every member that a schema names at any depth. */
function membersOf(schema: unknown, seen = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const one of schema) membersOf(one, seen);
  else if (typeof schema === 'object' && schema !== null) {
    const { $ref, properties, ...rest } = schema as SchemaNode;
    const name = $ref?.split('/').at(-1);
    if (name !== undefined && !seen.has(`#${name}`)) membersOf(components.schemas[name], seen.add(`#${name}`));
    for (const [member, inner] of Object.entries(properties ?? {})) membersOf(inner, seen.add(member));
    membersOf(Object.values(rest), seen);
  }
  return seen;
}

function* namesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* namesIn(one);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      yield* namesIn(inner);
    }
}

let devnet: Devnet;
const extra = new Set<string>();
const missing = new Set<string>();
const called = new Set<string>();
const otherwise = new Set<string>();
const wrong: string[] = [];
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet.close());

async function post(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(devnet.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return response.json() as Promise<Answer>;
}

/** Calls a method, and holds what it answers against its schema. */
async function call<T>(path: string, method: string, ...params: unknown[]): Promise<T> {
  called.add(method);
  const { result, error } = await post(path, { jsonrpc: '2.0', id: 1, method, params });
  tally('calls of Ethereum’s RPC specification');
  if (error?.code === -32601) missing.add(method);
  else if (error && Object.hasOwn(answeredOtherwise, error.message)) otherwise.add(error.message);
  // The node knows the state as far as it was recorded, and says so elsewhere.
  else if (error && !error.message.startsWith('the recording holds no answer'))
    wrong.push(`${method}(${JSON.stringify(params)}): ${error.message}`);
  else if (!error) {
    tally('answers held against its schemas');
    const validate = validators.get(method);
    if (!validate?.(result)) wrong.push(`${method}(${JSON.stringify(params)}): ${ajv.errorsText(validate?.errors)}`);
    const known = membersOf(methods.find(({ name }) => name === method)?.result);
    for (const name of namesIn(result)) if (!known.has(name)) extra.add(name);
  }
  return result as T;
}

test.each(['C', 'L1'])('answers of %s fit the schemas of their methods', async (chain) => {
  const path = `/ext/bc/${chain === 'C' ? 'C' : devnet.ledger.l1s[0]?.blockchainId}/rpc`;
  for (const method of ['chainId', 'blockNumber', 'gasPrice', 'syncing', 'coinbase']) await call(path, `eth_${method}`);
  await call(path, 'web3_clientVersion');
  const last = Number(await call<string>(path, 'eth_blockNumber'));
  for (const tag of ['latest', 'earliest', 'safe', 'finalized', 'pending'])
    await call(path, 'eth_getBlockByNumber', tag, true);
  let account = '';
  for (let height = 0; height <= last; height += Math.ceil(last / 100)) {
    const number = `0x${height.toString(16)}`;
    const { hash, transactions } = await call<Block>(path, 'eth_getBlockByNumber', number, true);
    await call(path, 'eth_getBlockByNumber', number, false);
    for (const full of [true, false]) await call(path, 'eth_getBlockByHash', hash, full);
    for (const by of ['BlockTransactionCountBy', 'UncleCountByBlock']) {
      await call(path, `eth_get${by}Number`, number);
      await call(path, `eth_get${by}Hash`, hash);
    }
    await call(path, 'eth_getLogs', { fromBlock: number, toBlock: number });
    await call(path, 'eth_getLogs', { blockHash: hash });
    for (const { hash: txHash, from, transactionIndex } of transactions) {
      account = from;
      await call(path, 'eth_getTransactionByHash', txHash);
      await call(path, 'eth_getTransactionReceipt', txHash);
      await call(path, 'eth_getTransactionByBlockHashAndIndex', hash, transactionIndex);
      await call(path, 'eth_getTransactionByBlockNumberAndIndex', number, transactionIndex);
    }
  }
  const nowhere = `0x${'00'.repeat(32)}`;
  for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt']) await call(path, method, nowhere);
  await call(path, 'eth_getBlockByHash', nowhere, false);
  await call(path, 'eth_getBlockByNumber', `0x${(last + 1).toString(16)}`, false);
  for (const block of ['latest', '0x1']) {
    for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'])
      await call(path, method, account, block);
    await call(path, 'eth_getStorageAt', account, '0x0', block);
    await call(path, 'eth_getProof', account, [], block);
    await call(path, 'eth_call', { to: account }, block);
    await call(path, 'eth_feeHistory', '0x4', block, [25, 75]);
  }
  await call(path, 'eth_estimateGas', { from: account, to: account });
  await call(path, 'eth_sendRawTransaction', '0x00');
  await call(path, 'eth_newFilter', {});
  for (const method of ['newBlockFilter', 'newPendingTransactionFilter']) await call(path, `eth_${method}`);
  for (const method of ['getFilterChanges', 'getFilterLogs', 'uninstallFilter'])
    await call(path, `eth_${method}`, '0x1');
  await call(path, 'eth_subscribe', 'newHeads');
  await call(path, 'eth_unsubscribe', '0x1');
  expect(wrong).toEqual([]);
});

test('every method was called, and what is not there is named', () => {
  expect(specified.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  expect([...otherwise]).toEqual(Object.keys(answeredOtherwise));
  expect([...missing].sort()).toEqual(Object.keys(notOffered).sort());
  expect([...extra].sort()).toEqual(Object.keys(avalancheMembers).sort());
});

// JSON-RPC 2.0 itself: the cases of its specification, where a request or a batch is wrong.
test.each<[string, unknown, number]>([
  ['a method that does not exist', { jsonrpc: '2.0', id: 1, method: 'eth_noSuch' }, -32601],
  ['a body that is no JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', -32700],
  ['a request that is none', { jsonrpc: '2.0', id: 1, method: 1, params: 'bar' }, -32600],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'eth_chainId' }, -32600],
  ['an empty batch', [], -32600],
  ['params that are missing', { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [] }, -32602],
  ['too many params', { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [1] }, -32602],
  ['params of another type', { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByHash', params: [7, true] }, -32602],
])('%s is refused with the code of the specification', async (_, body, code) => {
  for (const chain of ['C', devnet.ledger.l1s[0]?.blockchainId]) {
    expect((await post(`/ext/bc/${chain}/rpc`, body)).error?.code).toBe(code);
    tally('cases of JSON-RPC 2.0');
  }
});

test('a batch is answered call by call, notifications and wrong calls among them', async () => {
  const answers = (await post('/ext/bc/C/rpc', [
    { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
    { jsonrpc: '2.0', method: 'eth_chainId' },
    7,
    { jsonrpc: '2.0', id: 2, method: 'eth_noSuch' },
  ])) as unknown as { id: unknown; error?: { code: number } }[];
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    ['a', undefined],
    [null, -32600],
    [2, -32601],
  ]);
  tally('cases of JSON-RPC 2.0');
});
