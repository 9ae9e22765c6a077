import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../devnet/test/services/servicesHarness.ts';
import { catalogue } from '../../pipelines/index.ts';
import { project } from '../cli/cliHarness.ts';
import { type NodeMethod, type NodeNames, nodeSpecification, rangeBounds } from './nodeSpecification.ts';
import { parametersOf, syncOnce, withFolder } from './standardHarness.ts';

// The node's interfaces by their specification: every method is asked with every parameter, and answers with every
// documented member; and firn asks every method that brings data, with parameters that the specification has.

let devnet: Devnet;
let names: NodeNames;
/** Every call that firn sends when it reads all that the node offers: path, method, names of parameters. */
const asked = new Map<string, Set<string>>();

const placeholders = new Proxy({}, { get: (_, name) => String(name) }) as NodeNames;
const table = nodeSpecification(placeholders);

async function call(path: string, method: string, params: object): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  const response = await fetch(devnet.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const answer: Json = await response.json();
  expect([response.status, answer.jsonrpc, answer.id]).toEqual([200, '2.0', 7]);
  return answer;
}

const result = async (path: string, method: string, params: object): Promise<Json> =>
  (await call(path, method, params)).result;

function note(request: { path: string }, { method, params }: { method: string; params: object }): void {
  const key = `${request.path.replace(/^\/ext\/index\/.*/, '/ext/index/P/block')} ${method}`;
  const known = asked.get(key) ?? new Set();
  asked.set(key, known);
  for (const name of Array.isArray(params) ? [] : Object.keys(params)) known.add(name);
}

beforeAll(async () => {
  devnet = await startDevnet({ head: '40%' });
  const streams = (await parametersOf(devnet)) as Record<string, Record<string, string[]>>;
  const [l1 = ''] = streams['node/l1_validators']?.['blockchainIds'] ?? [];
  const last = await result('/ext/index/P/block', 'index.getLastAccepted', {});
  const height = Number((await result('/ext/bc/P', 'platform.getHeight', {})).height);
  const block = (await result('/ext/bc/P', 'platform.getBlockByHeight', { height, encoding: 'json' })).block;
  const evm = await result(`/ext/bc/${l1}/rpc`, 'eth_getBlockByNumber', ['latest', false]);
  const exchange: Json = await (
    await fetch(`${devnet.url}/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=1`)
  ).json();
  names = {
    l1,
    containerId: last.id,
    last: Number(last.index),
    blockId: block.id,
    height,
    address: streams['node/platform_balances']?.['addresses']?.[0] ?? '',
    nodeId: streams['data/validator_details']?.['nodeIds']?.[0] ?? '',
    l1NodeId: (await result(`/ext/bc/${l1}/validators`, 'validators.getCurrentValidators', {})).validators[0].nodeID,
    xTxId: exchange.transactions[0].txHash,
    blockHash: evm.hash,
    blockTime: Number(evm.timestamp),
  };
  const all = {
    ...Object.fromEntries(Object.entries(streams).filter(([id]) => table.some(({ by }) => by === id))),
    'node/containers': { indexes: ['P/block'], allowIncomplete: true },
    // Without it, blocks come from the index.
    'node/platform_blocks': { ...streams['node/platform_blocks'], json: true },
    'node/avm_transactions': { which: [names.xTxId] },
  };
  await withFolder(async (folder) => {
    // Twice: what was read is held against the node before more is read.
    for (const head of ['40%', '41%']) {
      devnet.moveHead(head);
      await syncOnce(folder, devnet, all, {
        before(_, request) {
          if (request.kind === 'rpc') note(request, request.call as never);
          if (request.kind === 'rpcMany') for (const one of request.calls) note(request, one as never);
        },
      });
    }
  });
});
afterAll(() => devnet.close());

const entryOf = (index: number) => nodeSpecification(names)[index] as NodeMethod;
const titles = table.map(({ method, by }, index) => [method, by, index] as const);

test.each(titles)('%s answers with every documented member', async (_, __, index) => {
  const { path, method, calls, result: members } = entryOf(index);
  for (const { params, refused } of calls) {
    const answer = await call(path, method, params);
    if (refused) {
      expect([params, answer.error?.message]).toEqual([params, expect.stringMatching(refused)]);
      continue;
    }
    expect([params, answer.error]).toEqual([params, undefined]);
  }
  const answers = await Promise.all(
    calls.filter(({ refused }) => !refused).map(({ params }) => result(path, method, params)),
  );
  expect(members.filter((member) => !answers.some((answer) => has(answer, member.split('.'))))).toEqual([]);
});

/** Whether a path of members leads somewhere. */
function has(value: Json, [part = '', ...rest]: readonly string[]): boolean {
  const inner = value?.[part.replace('[]', '')];
  if (inner === undefined) return false;
  if (rest.length === 0) return true;
  return (part.endsWith('[]') ? inner : [inner]).some((item: Json) => has(item, rest));
}

test.each(titles.filter(([, by]) => by !== null))('%s is asked by %s, with parameters that it has', (_, by, index) => {
  const entry = entryOf(index);
  const sent = asked.get(`${entry.path} ${entry.method}`);
  expect(sent, [...asked.keys()].join('\n')).toBeDefined();
  if (Array.isArray(entry.parameters))
    expect([...(sent ?? [])].filter((name) => !(entry.parameters as string[]).includes(name))).toEqual([]);
  expect(catalogue.some(({ id }) => id === by)).toBe(true);
});

test('every stream of the node asks a method of the table, or one of the standard interfaces', () => {
  const standard = ['node/evm_blocks', 'node/platform_reward_utxos'];
  // Methods of the table, asked about other blocks and times than the newest.
  const histories = [
    'node/evm_fee_config_history',
    'node/evm_active_precompiles_history',
    'node/evm_active_rules_history',
  ];
  const streams = catalogue.filter(({ source }) => source.name === 'node').map(({ id }) => id);
  expect(streams.filter((id) => !table.some(({ by }) => by === id))).toEqual([standard[0], ...histories, standard[1]]);
});

test('deprecated methods are marked so, and plan says what to use', async () => {
  const deprecated = [
    'node/platform_balances',
    'node/platform_blockchains',
    'node/evm_active_precompiles',
    'node/evm_active_precompiles_history',
  ];
  expect(catalogue.flatMap((stream) => (stream.deprecated ? [stream.id] : [])).sort()).toEqual(deprecated.sort());
  const streams = { 'node/platform_blockchains': {} };
  const { firn } = await project({ sources: { node: { url: devnet.url } }, pipelines: { main: { streams } } });
  const { code, out } = await firn('plan');
  expect([code, out]).toEqual([0, expect.stringMatching(/deprecated since v1\.9\.12: use node\/containers/)]);
});

test.each([false, true])('a range outside its bounds, in the shapes of the specification: %s', async (seedShapes) => {
  devnet.configure({ seedShapes });
  for (const { params, refused, seed } of rangeBounds(names.last + 10_000)) {
    const answer = await call('/ext/index/P/block', 'index.getContainerRange', params);
    if (seedShapes && seed !== undefined) expect(answer.result).toBe(seed);
    else expect(answer.error.message).toMatch(refused ?? /./);
  }
  const range = await result('/ext/index/P/block', 'index.getContainerRange', { startIndex: 0, numToFetch: 3 });
  expect(seedShapes ? range : range.containers).toHaveLength(3);
  const rules = await result(`/ext/bc/${names.l1}/rpc`, 'eth_getActiveRulesAt', []);
  expect(Object.keys(rules)).toContain(seedShapes ? 'networkRules' : 'avalancheRules');
  devnet.configure({ seedShapes: false });
});
