import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nodeStreams } from '../../../pipelines/node/index.ts';
import { some } from '../../some.ts';
import { type NodeHarness, startNodeHarness } from './nodeHarness.ts';
import { startProxy } from './startProxy.ts';

const primary = '11111111111111111111111111111111LpoYY';
const unknownId = '2MVbntxreU3kpAVPoAMfev3kpiVmSgVN7VMPtrVhNgRMqciAz2';

/** What the node answers to a call, its numbers as text. */
async function ask(harness: NodeHarness, path: string, method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(harness.devnet.url + path, { method: 'POST', headers, body });
  return JSON.parse((await response.text()).replace(/([:[,])(\d{16,})(?=[,}\]])/g, '$1"$2"')).result;
}

describe.each([
  ['of the node', false],
  ['of the specification', true],
])('what a chain is, in the shapes %s', (_, seedShapes) => {
  let harness: NodeHarness;
  let l1: string;
  let subnet: string;
  beforeAll(async () => {
    harness = await startNodeHarness(nodeStreams, { seedShapes });
    const [chain] = harness.devnet.ledger.l1s;
    l1 = chain?.blockchainId ?? '';
    subnet = chain?.subnetId ?? '';
  });
  afterAll(() => harness.close());
  const outcomes = async (id: string, parameters: Record<string, unknown>) =>
    (await harness.sync({ [id]: parameters })).map(({ outcome }) => outcome);

  test('eth_feeConfig: of the L1; not offered by the C-Chain, which is no failure', async () => {
    expect(await outcomes('node/evm_fee_config', { blockchainIds: ['C', l1] })).toEqual(['not_offered', 'done']);
    const { feeConfig, lastChangedAt } = await ask(harness, `/ext/bc/${l1}/rpc`, 'eth_feeConfig', []);
    const [row] = await harness.query('SELECT * FROM raw.node_evm_fee_config');
    expect(row).toMatchObject({
      chain_id: '99001',
      fee_config_gas_limit: String(feeConfig.gasLimit),
      fee_config_min_base_fee: String(feeConfig.minBaseFee),
      fee_config_target_block_rate: String(feeConfig.targetBlockRate),
      fee_config_target_gas: String(feeConfig.targetGas),
      fee_config_base_fee_change_denominator: String(feeConfig.baseFeeChangeDenominator),
      fee_config_min_block_gas_cost: String(feeConfig.minBlockGasCost),
      fee_config_max_block_gas_cost: String(feeConfig.maxBlockGasCost),
      fee_config_block_gas_cost_step: String(feeConfig.blockGasCostStep),
      last_changed_at: BigInt(lastChangedAt),
    });
  });

  test('eth_getChainConfig: of both chains, every member a column', async () => {
    expect(await outcomes('node/evm_chain_config', { blockchainIds: ['C', l1] })).toEqual(['done', 'done']);
    const rows = await harness.query('SELECT * FROM raw.node_evm_chain_config ORDER BY chain_id');
    expect(rows).toMatchObject([
      { chain_id: '43112', granite_timestamp: 1771426800n, cortina_block_timestamp: 1607144400n, fee_config: null },
      { chain_id: '99001', subnet_evm_timestamp: 0n, homestead_block: 0n, cancun_time: 1607144400n },
    ]);
    expect(JSON.parse(String(rows[1]?.['upgrades'])).precompileUpgrades).toHaveLength(2);
    expect(rows.map((row) => row['_extra'])).toEqual([null, null]);
  });

  test('eth_getActivePrecompilesAt and eth_getActiveRulesAt: one row a precompile, one row a rule', async () => {
    const streams = {
      'node/evm_active_precompiles': { blockchainIds: [l1] },
      'node/evm_active_rules': { blockchainIds: [l1] },
    };
    await harness.sync(streams);
    const precompiles = await ask(harness, `/ext/bc/${l1}/rpc`, 'eth_getActivePrecompilesAt', []);
    const rows = await harness.query<{ name: string; config: string }>(
      'SELECT name, config FROM raw.node_evm_active_precompiles',
    );
    expect(Object.fromEntries(rows.map(({ name, config }) => [name, JSON.parse(config)]))).toEqual(precompiles);

    const rules = await ask(harness, `/ext/bc/${l1}/rpc`, 'eth_getActiveRulesAt', []);
    const flags = await harness.query<{ rule_set: string; rule: string; is_active: boolean }>(
      'SELECT rule_set, rule, is_active FROM raw.node_evm_active_rules WHERE is_active IS NOT NULL',
    );
    const held = (set: string) =>
      Object.fromEntries(
        flags.filter(({ rule_set }) => rule_set === set).map(({ rule, is_active }) => [rule, is_active]),
      );
    const { ChainID, ...eth } = rules.ethRules;
    expect(held('eth')).toEqual(eth);
    expect(held('network')).toEqual(seedShapes ? rules.networkRules : rules.avalancheRules);
    expect(Object.keys(held('precompile')).sort()).toEqual(Object.keys(rules.precompiles).sort());
    expect(ChainID).toBe(99001);
  });

  test('validators.getCurrentValidators: of the L1; the C-Chain has no such API', async () => {
    const found = await outcomes('node/l1_validators', { blockchainIds: ['C', l1] });
    // In the order in which they ended.
    expect(found.toSorted()).toEqual(['done', 'not_offered']);
    const { validators } = await ask(harness, `/ext/bc/${l1}/validators`, 'validators.getCurrentValidators', {});
    const rows = await harness.query(
      'SELECT validation_id, node_id, weight, is_active, uptime_seconds FROM raw.node_l1_validators',
    );
    const wanted = validators.map((each: Record<string, unknown>) => ({
      validation_id: each['validationID'],
      node_id: each['nodeID'],
      weight: BigInt(each['weight'] as number),
      is_active: each['isActive'],
      uptime_seconds: BigInt(each['uptimeSeconds'] as number),
    }));
    const byId = (a: { validation_id: unknown }, b: { validation_id: unknown }) =>
      String(a.validation_id) < String(b.validation_id) ? -1 : 1;
    expect(rows.sort(byId as never)).toEqual(wanted.sort(byId));
  });

  test('platform.getCurrentValidators: of the Primary Network with delegators by node, and of the L1', async () => {
    await harness.sync({ 'node/platform_validators': { subnetIds: [primary, subnet] } });
    for (const subnetID of [primary, subnet]) {
      const { validators } = await ask(harness, '/ext/bc/P', 'platform.getCurrentValidators', { subnetID });
      const rows = await harness.query<Record<string, unknown>>(
        `SELECT * FROM raw.node_platform_validators WHERE subnet_id = '${subnetID}'`,
      );
      expect(rows.map((row) => row['node_id']).sort()).toEqual(
        validators.map(({ nodeID }: { nodeID: string }) => nodeID).sort(),
      );
      for (const { nodeID, weight, delegatorCount, signer } of validators) {
        const row = rows.find((candidate) => candidate['node_id'] === nodeID);
        expect(row?.['weight']).toBe(BigInt(weight));
        const proof = signer?.proofOfPossession ?? signer?.proofOfPosession ?? null;
        expect(row?.['signer_proof_of_possession']).toBe(proof);
        const delegators = await harness.query(
          `SELECT tx_id FROM raw.node_platform_delegators WHERE subnet_id = '${subnetID}' AND node_id = '${nodeID}'`,
        );
        expect(delegators).toHaveLength(Number(delegatorCount ?? 0));
      }
    }
    expect(await harness.value('SELECT count(*) FROM raw.node_platform_delegators')).toBeGreaterThan(0n);
    expect(await harness.value('SELECT count(*) FROM firn.schema_change')).toBe(0n);
  });

  test('platform.getCurrentValidators: read without the delegators, the list ends none of them', async () => {
    const current = () => harness.value('SELECT count(*) FROM raw.node_platform_delegators WHERE _valid_to IS NULL');
    await harness.sync({ 'node/platform_validators': {} });
    const before = await current();
    expect(before).toBeGreaterThan(0n);
    expect(await harness.sync({ 'node/platform_validators': { delegators: false } })).toMatchObject([
      { outcome: 'done' },
    ]);
    expect(await current()).toBe(before);
  });

  test('platform.getCurrentSupply: of the Primary Network; an L1 has none', async () => {
    const parameters = { subnetIds: [primary, subnet] };
    expect((await outcomes('node/platform_supply', parameters)).sort()).toEqual(['done', 'not_offered']);
    const { supply, height } = await ask(harness, '/ext/bc/P', 'platform.getCurrentSupply', {});
    const rows = await harness.query('SELECT subnet_id, supply, height FROM raw.node_platform_supply');
    expect(rows).toEqual([{ subnet_id: primary, supply, height: BigInt(height) }]);
    expect(Number(supply)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  test('platform.getCurrentSupply: a number as well as text', async () => {
    const supply = '9007199254740993001';
    const proxy = await startProxy(
      harness.devnet.url,
      async ({ method }) => (method === 'platform.getCurrentSupply' ? { result: { supply: 'number' } } : undefined),
      (answer) => JSON.stringify(answer).replace('"number"', supply),
    );
    expect(await harness.sync({ 'node/platform_supply': {} }, proxy.url)).toMatchObject([{ outcome: 'done' }]);
    const current = 'SELECT supply FROM raw.node_platform_supply WHERE _valid_to IS NULL';
    expect(await harness.query(current)).toEqual([{ supply }]);
  });

  test('platform.getBlockchains and getBlockchainStatus: Unknown is a status, not an error', async () => {
    await harness.sync({
      'node/platform_blockchains': {},
      'node/platform_blockchain_status': { blockchainIds: ['P', 'X', 'C', l1, unknownId] },
    });
    const { blockchains } = await ask(harness, '/ext/bc/P', 'platform.getBlockchains', {});
    const ids = await harness.query<{ blockchain_id: string }>(
      'SELECT blockchain_id FROM raw.node_platform_blockchains',
    );
    expect(ids.map(({ blockchain_id }) => blockchain_id).sort()).toEqual(
      blockchains.map(({ id }: { id: string }) => id).sort(),
    );
    const statuses = await harness.query<{ blockchain_id: string; status: string }>(
      'SELECT blockchain_id, status FROM raw.node_platform_blockchain_status',
    );
    const statusOf = new Map(statuses.map(({ blockchain_id, status }) => [blockchain_id, status]));
    expect(statusOf.get(primary)).toBe('Syncing');
    expect(statusOf.get(l1)).toBe('Validating');
    expect(statusOf.get(unknownId)).toBe('Unknown');
    expect(statuses).toHaveLength(5);
  });

  test('platform.getBalance: by address and asset, exact; with or without P-', async () => {
    const address = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
    await harness.sync({ 'node/platform_balances': { addresses: [`P-${address}`, address] } });
    const answer = await ask(harness, '/ext/bc/P', 'platform.getBalance', { addresses: [`P-${address}`] });
    const rows = await harness.query(
      'SELECT address, asset_id, balance, unlocked, utxo_ids FROM raw.node_platform_balances',
    );
    const [asset] = seedShapes ? ['AVAX'] : Object.keys(answer.balances);
    expect(rows).toMatchObject([{ address, asset_id: asset, balance: answer.balance, unlocked: answer.unlocked }]);
    expect(JSON.parse(String(rows[0]?.['utxo_ids']))).toEqual(expect.arrayContaining(answer.utxoIDs));
  });

  test('a balance whose UTXOs another node lists in another order is the same version', async () => {
    const streams = { 'node/platform_balances': { addresses: ['local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] } };
    await harness.sync(streams);
    const proxy = await startProxy(harness.devnet.url, async ({ method, forward }) => {
      if (method !== 'platform.getBalance') return undefined;
      const result = (await forward()) as { utxoIDs: unknown[] };
      expect(result.utxoIDs.length).toBeGreaterThan(1);
      return { result: { ...result, utxoIDs: result.utxoIDs.toReversed() } };
    });
    await harness.sync(streams, proxy.url);
    expect(proxy.calls.filter(({ method }) => method === 'platform.getBalance')).toHaveLength(1);
    expect(await harness.value('SELECT count(*) FROM raw.node_platform_balances')).toBe(1n);
  });
});

describe('blocks of the P-Chain', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());

  test('all of them, JSON held against bytes, and what is new', { tags: 'long' }, async () => {
    harness = await startNodeHarness(nodeStreams, { head: '50%' });
    await harness.sync({ 'node/platform_blocks': { json: true } });
    harness.devnet.moveHead('100%');
    await harness.sync({ 'node/platform_blocks': { json: true } });
    const { blocks } = harness.devnet.ledger.p;
    const rows = await harness.query<Record<string, unknown>>(
      `SELECT height, block_id, block_type, transaction_count, '0x' || lower(hex(bytes)) AS hex, difference
       FROM raw.node_platform_blocks ORDER BY height`,
    );
    expect(rows.map((row) => row['block_id'])).toEqual(blocks.map(({ id }) => id));
    expect(rows.map((row) => row['hex'])).toEqual(blocks.map(({ hex }) => JSON.parse(hex).block.slice(0, -8)));
    expect(rows.filter((row) => row['difference'] !== null || row['block_type'] === null)).toEqual([]);
    const ids = await harness.query<{ tx_id: string }>('SELECT tx_id FROM raw.node_platform_transactions');
    expect(ids.map(({ tx_id }) => tx_id).sort()).toEqual(blocks.flatMap(({ txs }) => [...txs.keys()]).sort());
    expect(harness.devnet.stats().calls['/ext/bc/P platform.getBlock']).toBe(1);
  });

  test('blocks that were read without their bytes are read again once these are wanted, so that no reward is missed', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams, { head: '10%' });
    const streams = (hex: boolean) => ({ 'node/platform_blocks': { hex }, 'node/platform_reward_utxos': {} });
    await harness.sync(streams(false));
    harness.devnet.moveHead('100%');
    await harness.sync(streams(true));
    const { p } = harness.devnet.ledger;
    const typed = await harness.value(
      'SELECT count(*) FROM raw.node_platform_blocks WHERE bytes IS NOT NULL AND block_type IS NOT NULL',
    );
    expect(typed).toBe(BigInt(p.blocks.length));
    const untold = `SELECT count(*) FROM raw.node_platform_transactions AS t WHERE tx_type = 'RewardValidatorTx'
      AND NOT EXISTS (SELECT 1 FROM firn.lookup AS l WHERE l."key" = json_extract_string(t.unsigned_tx, '$.txID'))
      AND EXISTS (SELECT 1 FROM raw.node_platform_blocks AS b WHERE b.height = t.height + 1)`;
    expect(await harness.value(untold)).toBe(0n);
  });

  test('a chain whose eth-apis lack the Ethereum API fails with what to name there', async () => {
    harness = await startNodeHarness(nodeStreams, { head: '3%' });
    const { url } = await startProxy(harness.devnet.url, async ({ method }) =>
      method.startsWith('eth_')
        ? { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
        : undefined,
    );
    const [result] = await harness.sync({ 'node/evm_blocks': { blockchainIds: ['C'] } }, url);
    expect(result).toMatchObject({ outcome: 'failed', code: 'refused', message: expect.stringContaining('eth-apis') });
  });

  test('an index that was switched on late is found out by one question, not asked again and again', async () => {
    harness = await startNodeHarness(nodeStreams, { head: '3%', gaps: { 'P/block': [[1, 10]] } });
    await harness.sync({ 'node/platform_blocks': { from: 0 } });
    harness.devnet.moveHead('4%');
    const height = await harness.value('SELECT max(height) FROM raw.node_platform_blocks');
    await harness.sync({ 'node/platform_blocks': {} });
    expect(await harness.value('SELECT max(height) FROM raw.node_platform_blocks')).toBeGreaterThan(height as bigint);
    const { calls } = harness.devnet.stats();
    expect(calls['/ext/index/P/block index.getContainerRange']).toBeUndefined();
    expect(calls['/ext/index/P/block index.getContainerByIndex']).toBe(2);
  });

  test('one of two nodes behind one URL does not know the last block, the other has it at its height: it is held', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams, { head: '50%' });
    await harness.sync({ 'node/platform_blocks': {} });
    harness.devnet.moveHead('100%');
    const { url } = await startProxy(harness.devnet.url, async ({ method }) =>
      method === 'platform.getBlock' ? { error: { code: -32000, message: 'not found' } } : undefined,
    );
    expect(await harness.sync({ 'node/platform_blocks': {} }, url)).toMatchObject([{ outcome: 'done' }]);
  });

  test.each([true, false])(
    'JSON without ids and times gets them from the bytes, also where none are asked for: hex %s',
    async (hex) => {
      harness = await startNodeHarness(nodeStreams, { seedShapes: true });
      await harness.sync({ 'node/platform_blocks': { from: 3, to: 40, hex } });
      const blocks = harness.devnet.ledger.p.blocks.slice(3, 41);
      const rows = await harness.query(
        'SELECT block_id, epoch(timestamp)::BIGINT AS "time", difference FROM raw.node_platform_blocks ORDER BY height',
      );
      expect(rows).toEqual(
        blocks.map(({ id, json }) => ({
          block_id: id,
          time: BigInt(JSON.parse(json).block.time ?? 0) || null,
          difference: null,
        })),
      );
      const ids = await harness.query<{ tx_id: string }>('SELECT tx_id FROM raw.node_platform_transactions');
      expect(ids.map(({ tx_id }) => tx_id).sort()).toEqual(blocks.flatMap(({ txs }) => [...txs.keys()]).sort());
    },
  );

  test.each([false, true])(
    'bounds are heights or dates, in the shapes of the specification: %s',
    async (seedShapes) => {
      harness = await startNodeHarness(nodeStreams, { seedShapes });
      const { blocks } = harness.devnet.ledger.p;
      const first = (date: string) =>
        blocks.findIndex(({ json }) => (JSON.parse(json).block.time ?? 0) >= Date.parse(date) / 1000);
      await harness.sync({ 'node/platform_blocks': { from: '2026-02-01', to: '2026-02-03', hex: false } });
      const [row] = await harness.query('SELECT min(height) AS low, max(height) AS high FROM raw.node_platform_blocks');
      expect(row).toEqual({ low: BigInt(first('2026-02-01')), high: BigInt(first('2026-02-03') - 1) });
    },
  );

  test('a date among Apricot blocks, which carry no time, is found by the time of the chain', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams, { ledger: 'test/fixtures/node-ledger-forks' });
    await harness.sync({ 'node/platform_blocks': { from: '2024-07-18', to: '2024-07-19', hex: false } });
    const [row] = await harness.query('SELECT min(height) AS low, max(height) AS high FROM raw.node_platform_blocks');
    // AdvanceTimeTx set the chain to 2024-07-17 01:38 at 13, to 2024-07-18 02:26 at 18, and to 2024-07-19 01:38 at 22.
    expect(row).toEqual({ low: 18n, high: 21n });
  });

  test('a node whose JSON says other than its bytes is found out', async () => {
    harness = await startNodeHarness(nodeStreams);
    const proxy = await startProxy(harness.devnet.url, async ({ method, params, forward }) => {
      const { height, encoding } = params as { height?: number; encoding?: string };
      if (method !== 'platform.getBlockByHeight' || height !== 7 || encoding !== 'json') return undefined;
      const { block } = (await forward()) as { block: { txs: { unsignedTx: { networkID: number } }[] } };
      const [tx, ...others] = block.txs;
      const wrong = { ...tx, unsignedTx: { ...tx?.unsignedTx, networkID: 1 } };
      return { result: { block: { ...block, txs: [wrong, ...others] }, encoding: 'json' } };
    });
    await harness.sync({ 'node/platform_blocks': { from: 5, to: 9, json: true } }, proxy.url);
    const rows = await harness.query(
      'SELECT height, difference FROM raw.node_platform_blocks WHERE difference IS NOT NULL',
    );
    expect(rows).toEqual([{ height: 7n, difference: 'txs[0].unsignedTx.networkID: 12345, 1' }]);
  });

  describe('whose bytes say everything', () => {
    const says = async () => {
      const rows = await harness.query<Record<string, unknown>>(
        `SELECT b.* EXCLUDE (_load_id, bytes), t.* EXCLUDE (_load_id), lower(hex(b.bytes)) AS bytes
         FROM raw.node_platform_blocks AS b LEFT JOIN raw.node_platform_transactions AS t ON t.height = b.height
         ORDER BY b.height, t."position"`,
      );
      // Members of JSON stand in any order.
      return rows.map(
        (row): Record<string, unknown> => ({
          ...row,
          unsigned_tx: JSON.parse(String(row['unsigned_tx'])),
          credentials: JSON.parse(String(row['credentials'])),
        }),
      );
    };
    const read = async (parameters: object, url?: (devnet: string) => Promise<string>) => {
      harness = await startNodeHarness(nodeStreams);
      const streams = { 'node/platform_blocks': { ...parameters } };
      const results = await harness.sync(streams, await url?.(harness.devnet.url));
      expect(results.map(({ outcome, quarantined, message }) => ({ outcome, quarantined, message }))).toEqual([
        { outcome: 'done', quarantined: 0, message: undefined },
      ]);
      const { calls } = harness.devnet.stats();
      const asked = (method: string) => calls[`/ext/bc/P platform.${method}`] ?? 0;
      return { rows: await says(), asked, ranges: calls['/ext/index/P/block index.getContainerRange'] ?? 0 };
    };
    let both: Awaited<ReturnType<typeof says>>;
    let count: number;

    beforeAll(async () => {
      ({ rows: both } = await read({ json: true }));
      count = harness.devnet.ledger.p.blocks.length;
      await harness.close();
    }, 60_000);

    test('are read from the index, 1,024 a request, and not asked for again as JSON', { tags: 'long' }, async () => {
      const { rows, asked, ranges } = await read({});
      expect(rows).toEqual(both);
      expect(ranges).toBe(Math.ceil(count / 1024));
      // Genesis is no container.
      expect(asked('getBlockByHeight')).toBe(1);
    });

    test('are read one by one in hex where the node has no index', { tags: 'long' }, async () => {
      let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
      const { rows, asked } = await read({ to: 300 }, async (url) => {
        proxy = await startProxy(url, async ({ path }) =>
          path.startsWith('/ext/index/')
            ? { error: { code: -32601, message: 'the method does not exist' } }
            : undefined,
        );
        return proxy.url;
      });
      expect(rows).toEqual(both.filter((row) => Number(row['height']) <= 300));
      expect(asked('getBlockByHeight')).toBe(301);
      expect(proxy?.calls.filter(({ path }) => path.startsWith('/ext/index/')).length).toBe(1);
    });

    test('one that cannot be decoded is read alone', { tags: 'long' }, async () => {
      let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
      const { rows, asked } = await read({ to: 300 }, async (url) => {
        proxy = await startProxy(url, async ({ method, forward }) => {
          if (method !== 'index.getContainerRange') return undefined;
          const { containers } = (await forward()) as { containers: { bytes: string }[] };
          return { result: { containers: containers.map((one, i) => (i === 9 ? { ...one, bytes: '0x00' } : one)) } };
        });
        return proxy.url;
      });
      expect(rows).toEqual(both.filter((row) => Number(row['height']) <= 300));
      // Genesis and this one.
      expect(asked('getBlockByHeight')).toBe(2);
    });

    test('are read one by one where the index began late and counts from another block', { tags: 'long' }, async () => {
      let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
      const { rows, asked } = await read({ to: 40 }, async (url) => {
        proxy = await startProxy(url, async ({ method, params, forward }) => {
          if (method !== 'index.getContainerRange') return undefined;
          const { startIndex, ...others } = params as { startIndex: number };
          const late = (await forward({ ...others, startIndex: startIndex + 3 })) as {
            containers: { index: string }[];
          };
          const containers = late.containers.map((container) => ({
            ...container,
            index: `${Number(container.index) - 3}`,
          }));
          return { result: { containers } };
        });
        return proxy.url;
      });
      expect(rows).toEqual(both.filter((row) => Number(row['height']) <= 40));
      expect(asked('getBlockByHeight')).toBe(41);
    });
  });

  test('numbers above 2^53 keep their digits', async () => {
    harness = await startNodeHarness(nodeStreams);
    await harness.sync({ 'node/platform_blocks': { to: 30 } });
    const raws = harness.devnet.ledger.p.blocks
      .slice(0, 31)
      .map(({ json }) => json)
      .join('');
    const large = [...new Set([...raws.matchAll(/"amount":(\d{17,})/g)].map(([, digits]) => digits))];
    expect(large.length).toBeGreaterThan(0);
    for (const digits of large) {
      const found = await harness.value(
        `SELECT count(*) FROM raw.node_platform_transactions WHERE contains(unsigned_tx, '"amount":${digits},')`,
      );
      expect(found).toBeGreaterThan(0n);
    }
  });
});

describe('lookups', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());
  const count = (table: string) => harness.value(`SELECT count(*) FROM raw.node_${table}`);

  test('platform.getRewardUTXOs: of every staking whose reward is decided, each asked for until it is known', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams, { head: '60%' });
    const streams = { 'node/containers': { indexes: ['P/block'] }, 'node/platform_reward_utxos': {} };
    await harness.sync(streams);
    const before = harness.devnet.stats().calls['/ext/bc/P platform.getRewardUTXOs'] ?? 0;
    expect(before).toBeGreaterThan(0);
    harness.devnet.moveHead('100%');
    await harness.sync(streams);
    await harness.sync(streams);
    const finished = [...harness.devnet.ledger.rewards].filter(([, { finished: done }]) => done);
    // One without a reward is asked for once more: a node that is behind says the same.
    const unrewarded = finished.filter(([, { result }]) => JSON.parse(result).utxos.length === 0);
    expect(harness.devnet.stats().calls['/ext/bc/P platform.getRewardUTXOs']).toBe(finished.length + unrewarded.length);
    await harness.sync(streams);
    expect(harness.devnet.stats().calls['/ext/bc/P platform.getRewardUTXOs']).toBe(finished.length + unrewarded.length);
    const wanted = finished.flatMap(([txId, { result }]) =>
      (JSON.parse(result).utxos as string[]).map((hex) => ({ tx_id: txId, hex: hex.slice(0, -8) })),
    );
    const rows = await harness.query<{ tx_id: string; hex: string }>(
      `SELECT tx_id, '0x' || lower(hex(bytes)) AS hex FROM raw.node_platform_reward_utxos`,
    );
    const byHex = (a: { hex: string }, b: { hex: string }) => (a.hex < b.hex ? -1 : 1);
    expect(rows.sort(byHex)).toEqual(wanted.sort(byHex));
    expect(await harness.value('SELECT count(*) FROM raw.node_platform_reward_utxos WHERE utxo_id IS NULL')).toBe(0n);
  });

  test('avm.getTx: what the containers refer to and do not hold; an id that nobody knows is an outcome', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams);
    await harness.sync({ 'node/containers': { indexes: ['X/block'] }, 'node/avm_transactions': {} });
    const rows = await harness.query('SELECT tx_id, tx_type, name, symbol FROM raw.node_avm_transactions');
    const { avaxAssetId } = harness.devnet.ledger;
    expect(rows).toContainEqual({ tx_id: avaxAssetId, tx_type: 'CreateAssetTx', name: 'Avalanche', symbol: 'AVAX' });
    expect(rows).toHaveLength(1);
  });

  test('avm.getTx: an id that the node refuses is an outcome where others are answered, and no other waits for it', async () => {
    harness = await startNodeHarness(nodeStreams);
    const [id = ''] = harness.devnet.ledger.x.blocks.flatMap(({ txs }) => [...txs.keys()]);
    const odd = '\u0000no id';
    const [alone] = await harness.sync({ 'node/avm_transactions': { which: [odd] } });
    expect(alone).toMatchObject({ outcome: 'failed', code: 'refused' });
    const both = { 'node/avm_transactions': { which: [odd, id] } };
    expect(await harness.sync(both)).toMatchObject([{ outcome: 'done', rows: 1 }]);
    // Once more, and for the one that was found, since no other answers beside it.
    expect(await harness.sync(both)).toMatchObject([{ outcome: 'done', requests: 2 }]);
    expect(await harness.sync(both)).toMatchObject([{ outcome: 'done', requests: 0 }]);
    const outcomes = await harness.query('SELECT "key", outcome FROM firn.lookup ORDER BY "key"');
    expect(outcomes).toEqual([
      { key: odd, outcome: 'refused' },
      { key: id, outcome: 'found' },
    ]);
  });

  test('avm.getTx: by ids, and as many as the budget allows', async () => {
    harness = await startNodeHarness(nodeStreams);
    const ids = harness.devnet.ledger.x.blocks.flatMap(({ txs }) => [...txs.keys()]).slice(0, 4);
    await harness.sync({ 'node/avm_transactions': { which: [...ids, unknownId], budget: 3 } });
    expect(await harness.value('SELECT count(*) FROM firn.lookup')).toBe(3n);
    await harness.sync({ 'node/avm_transactions': { which: [...ids, unknownId], budget: 3 } });
    expect(await count('avm_transactions')).toBe(4n);
    const outcomes = await harness.query('SELECT "key" FROM firn.lookup WHERE outcome = \'not_found\'');
    expect(outcomes).toEqual([{ key: unknownId }]);
  });
});

describe('what changes', () => {
  let harness: NodeHarness;
  afterEach(() => harness.close());

  test('a fee configuration is kept with its history; a run that finds the same adds nothing', async () => {
    harness = await startNodeHarness(nodeStreams);
    const [l1] = harness.devnet.ledger.l1s;
    const streams = { 'node/evm_fee_config': { blockchainIds: [l1?.blockchainId ?? ''] } };
    harness.devnet.moveHead(new Date(l1?.blocks[100]?.visibleAt ?? 0).toISOString());
    await harness.sync(streams);
    await harness.sync(streams);
    harness.devnet.moveHead('100%');
    await harness.sync(streams);
    const rows = await harness.query(
      'SELECT last_changed_at, _valid_to IS NULL AS is_current FROM raw.node_evm_fee_config ORDER BY _valid_from',
    );
    expect(rows).toEqual([
      { last_changed_at: 0n, is_current: false },
      { last_changed_at: 130n, is_current: true },
    ]);
  });

  test('every fee configuration since genesis, and then only what is new', { tags: 'long' }, async () => {
    harness = await startNodeHarness(nodeStreams);
    const [l1] = harness.devnet.ledger.l1s;
    const blockchainIds = [l1?.blockchainId ?? ''];
    const streams = { 'node/evm_fee_config_history': { blockchainIds } };
    const read = () =>
      harness.query(
        'SELECT from_block, fee_config_gas_limit::VARCHAR AS gas_limit FROM raw.node_evm_fee_config_history ORDER BY from_block',
      );
    const genesis = { from_block: 0n, gas_limit: '15000000' };
    const changed = { from_block: 130n, gas_limit: '20000000' };
    const calls = () => harness.devnet.stats().calls[`/ext/bc/${blockchainIds[0]}/rpc eth_feeConfig`] ?? 0;
    harness.devnet.moveHead(new Date(l1?.blocks[100]?.visibleAt ?? 0).toISOString());
    await harness.sync(streams);
    expect(await read()).toEqual([genesis]);
    harness.devnet.moveHead('100%');
    await harness.sync(streams);
    expect(await read()).toEqual([genesis, changed]);
    const before = calls();
    await harness.sync(streams);
    expect(calls()).toBe(before + 1);
    await harness.close();

    harness = await startNodeHarness(nodeStreams);
    await harness.sync(streams);
    expect(await read()).toEqual([genesis, changed]);
    expect(await harness.sync({ 'node/evm_fee_config_history': {} })).toMatchObject([{ outcome: 'not_offered' }]);
  });

  /** A node whose L1 switched its fee manager off with block 200. */
  async function startSwitchedOff() {
    harness = await startNodeHarness(nodeStreams);
    const [l1] = harness.devnet.ledger.l1s;
    const off = l1?.blocks[200]?.timestamp ?? 0;
    const first = l1?.blocks.find(({ timestamp }) => timestamp >= off)?.number ?? 0;
    const proxy = await startProxy(harness.devnet.url, async ({ method, params, forward }) => {
      if (method === 'eth_getChainConfig') {
        const config = (await forward()) as { upgrades: { precompileUpgrades: object[] } };
        const disabled = { feeManagerConfig: { blockTimestamp: off, disable: true } };
        return {
          result: { ...config, upgrades: { precompileUpgrades: [...config.upgrades.precompileUpgrades, disabled] } },
        };
      }
      if (method !== 'eth_feeConfig') return undefined;
      const [at] = params as string[];
      if (at !== 'latest' && Number(at) < first) return undefined;
      const { feeConfig } = (await forward()) as { feeConfig: object };
      return { result: { feeConfig: { ...feeConfig, gasLimit: 15000000 }, lastChangedAt: 0 } };
    });
    const streams = { 'node/evm_fee_config_history': { blockchainIds: [l1?.blockchainId ?? ''] } };
    const read = async () => {
      await harness.sync(streams, proxy.url);
      return harness.query('SELECT from_block FROM raw.node_evm_fee_config_history ORDER BY 1');
    };
    const seen = l1?.blocks[100]?.visibleAt ?? 0;
    const lose = (to: number) => harness.devnet.configure({ gaps: { [l1?.name ?? '']: [[1, to]] } });
    const notes = async () => (await harness.sync(streams, proxy.url))[0];
    return { read, notes, lose, seen, first, all: [0, 130, first].map((from) => ({ from_block: BigInt(from) })) };
  }

  test('a fee manager that was switched off leaves the genesis configuration in force from that block on', {
    tags: 'long',
  }, async () => {
    const { read, all } = await startSwitchedOff();
    expect(await read()).toEqual(all);
  });

  test('a configuration that was set and switched off again since the last run is read', { tags: 'long' }, async () => {
    const { read, seen, all } = await startSwitchedOff();
    harness.devnet.moveHead(new Date(seen).toISOString());
    expect(await read()).toEqual(all.slice(0, 1));
    expect(await read()).toEqual(all.slice(0, 1));
    harness.devnet.moveHead('100%');
    expect(await read()).toEqual(all);
  });

  test('where a node lacks the block at which a fee manager was switched off, the configuration since then is not said to be that of genesis', {
    tags: 'long',
  }, async () => {
    const { read, notes, lose, first, all } = await startSwitchedOff();
    lose(first);
    const missing = { outcome: 'done', notes: [expect.stringContaining(`state of block ${first}`)] };
    expect(await notes()).toMatchObject(missing);
    expect(await read()).toEqual([]);
    harness.devnet.configure({ gaps: {} });
    expect(await read()).toEqual(all);
    lose(first);
    expect(await notes()).toMatchObject(missing);
    expect(await read()).toEqual(all);
  });

  test.each(['missing trie node 00 (path ) state 0x00 is not available', 'required state is missing'])(
    'a node that pruned old states gives what it has, and says what is missing: %s',
    async (message) => {
      harness = await startNodeHarness(nodeStreams);
      const proxy = await startProxy(harness.devnet.url, async ({ method, params }) =>
        method === 'eth_feeConfig' && Number((params as string[])[0]) < 130
          ? { error: { code: -32000, message } }
          : undefined,
      );
      const results = await harness.sync(
        { 'node/evm_fee_config_history': { blockchainIds: [harness.devnet.ledger.l1s[0]?.blockchainId ?? ''] } },
        proxy.url,
      );
      expect(results).toMatchObject([{ outcome: 'done', notes: [expect.stringContaining('state of block 129')] }]);
      expect(await harness.query('SELECT from_block FROM raw.node_evm_fee_config_history')).toEqual([
        { from_block: 130n },
      ]);
      expect(await harness.query('SELECT 1 FROM firn.checkpoint')).toEqual([]);
    },
  );

  test('a node that came by state sync gives the configurations of the blocks that it has', async () => {
    harness = await startNodeHarness(nodeStreams);
    const [l1] = harness.devnet.ledger.l1s;
    harness.devnet.configure({ gaps: { [l1?.name ?? '']: [[1, 129]] } });
    const proxy = await startProxy(harness.devnet.url, async ({ method, params }) =>
      method === 'eth_feeConfig' && Number((params as string[])[0]) < 130
        ? { error: { code: -32603, message: 'method handler crashed' } }
        : undefined,
    );
    const streams = { 'node/evm_fee_config_history': { blockchainIds: [l1?.blockchainId ?? ''] } };
    expect(await harness.sync(streams, proxy.url)).toMatchObject([
      { outcome: 'done', notes: [expect.stringContaining('state of block 129')] },
    ]);
    expect(await harness.query('SELECT from_block FROM raw.node_evm_fee_config_history')).toEqual([
      { from_block: 130n },
    ]);
  });

  test('rules and precompiles at every moment at which they may change, each asked about once', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams);
    const [l1] = harness.devnet.ledger.l1s;
    const blockchainIds = [l1?.blockchainId ?? ''];
    const streams = {
      'node/evm_active_rules_history': { blockchainIds },
      'node/evm_active_precompiles_history': { blockchainIds },
    };
    const path = `/ext/bc/${blockchainIds[0]}/rpc`;
    await harness.sync(streams);
    const moments = [0, 1607144400, 1769648700, 1771426800, 1772323200, 1773619200];
    const rows = await harness.query<{ from_time: bigint; rules: string[] }>(
      `SELECT epoch(from_time)::BIGINT AS from_time FROM raw.node_evm_active_rules_history GROUP BY 1 ORDER BY 1`,
    );
    const end = l1?.blocks.at(-1)?.timestamp ?? 0;
    expect(rows.map(({ from_time }) => Number(from_time))).toEqual(moments.filter((moment) => moment <= end));
    for (const moment of some(moments.filter((time) => time <= end))) {
      const rules = await ask(harness, path, 'eth_getActiveRulesAt', [moment]);
      const active = await ask(harness, path, 'eth_getActivePrecompilesAt', [moment]);
      const held = await harness.query<{ rule: string }>(
        `SELECT rule FROM raw.node_evm_active_rules_history WHERE rule_set = 'precompile' AND epoch(from_time) = ${moment}`,
      );
      expect(held.map(({ rule }) => rule).sort()).toEqual(Object.keys(rules.precompiles).sort());
      const names = await harness.query<{ name: string }>(
        `SELECT name FROM raw.node_evm_active_precompiles_history WHERE epoch(from_time) = ${moment}`,
      );
      expect(names.map(({ name }) => name).sort()).toEqual(Object.keys(active).sort());
    }
    const { calls } = harness.devnet.stats();
    await harness.sync(streams);
    const after = harness.devnet.stats().calls;
    expect(after[`${path} eth_getActiveRulesAt`]).toBe(calls[`${path} eth_getActiveRulesAt`]);
    expect(after[`${path} eth_getChainConfig`]).toBe((calls[`${path} eth_getChainConfig`] ?? 0) + 2);
  });

  test('some validators of an L1 are a partition of their own', async () => {
    harness = await startNodeHarness(nodeStreams);
    const blockchainIds = [harness.devnet.ledger.l1s[0]?.blockchainId ?? ''];
    await harness.sync({ 'node/l1_validators': { blockchainIds } });
    const current = () =>
      harness.query<{ node_id: string }>(
        'SELECT node_id FROM raw.node_l1_validators WHERE _valid_to IS NULL ORDER BY 1',
      );
    const all = await current();
    const [one] = all;
    await harness.sync({ 'node/l1_validators': { blockchainIds, nodeIds: [one?.node_id ?? ''] } });
    expect(await current()).toEqual([one, ...all]);
  });

  test('an L1 whose VM does not know a new validator yet is asked again', async () => {
    harness = await startNodeHarness(nodeStreams);
    let refused = 0;
    const proxy = await startProxy(harness.devnet.url, async ({ method }) => {
      if (method !== 'validators.getCurrentValidators' || refused++ > 0) return undefined;
      return {
        error: { code: -32000, message: `failed to get uptime for validation ID ${unknownId}: validationID not found` },
      };
    });
    const blockchainIds = [harness.devnet.ledger.l1s[0]?.blockchainId ?? ''];
    const results = await harness.sync({ 'node/l1_validators': { blockchainIds } }, proxy.url);
    expect(results).toMatchObject([{ outcome: 'done' }]);
    expect(refused).toBe(2);
  });

  test('platform.getBalance: UTXOs in any order, and with all digits', { tags: 'long' }, async () => {
    harness = await startNodeHarness(nodeStreams);
    const large = '18446744073709551615';
    const lists = [
      `[{"txID":"b","outputIndex":${large}},{"txID":"a","outputIndex":1.50}]`,
      `[{"txID":"a","outputIndex":1.50},{"txID":"b","outputIndex":${large}}]`,
    ];
    for (const list of lists) {
      const proxy = await startProxy(
        harness.devnet.url,
        async ({ method }) => {
          if (method !== 'platform.getBalance') return undefined;
          return {
            result: { balance: '1', unlocked: '1', lockedStakeable: '0', lockedNotStakeable: '0', utxoIDs: 'list' },
          };
        },
        (answer) => JSON.stringify(answer).replace('"list"', list),
      );
      await harness.sync(
        { 'node/platform_balances': { addresses: ['local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'] } },
        proxy.url,
      );
    }
    expect(await harness.query('SELECT utxo_ids FROM raw.node_platform_balances')).toEqual([{ utxo_ids: lists[1] }]);
  });

  test('weights above 2^53 of both validator lists keep their digits', { tags: 'long' }, async () => {
    harness = await startNodeHarness(nodeStreams);
    const weight = '18446744073709551615';
    const proxy = await startProxy(harness.devnet.url, async ({ method }) => {
      const common = { nodeID: 'NodeID-1', startTime: '1', weight };
      if (method === 'platform.getCurrentValidators') return { result: { validators: [common] } };
      return undefined;
    });
    await harness.sync({ 'node/platform_validators': {} }, proxy.url);
    expect(await harness.value('SELECT weight FROM raw.node_platform_validators')).toBe(2n ** 64n - 1n);
  });

  test('an auto-renewed validator is listed with its cycle, what comes after it, and who may stop it', {
    tags: 'long',
  }, async () => {
    harness = await startNodeHarness(nodeStreams);
    const proxy = await startProxy(harness.devnet.url, async ({ method }) => {
      const validator = {
        txID: 'tx',
        nodeID: 'NodeID-1',
        startTime: '1785314783',
        endTime: '1785487583',
        weight: '1000318708',
        nextPeriod: '0',
        autoCompoundRewardShares: '250000',
        validatorAuthority: { locktime: '0', threshold: '1', addresses: ['P-fuji1a'] },
        restakedValidationRewards: '318708',
        restakedDelegateeRewards: '0',
      };
      return method === 'platform.getCurrentValidators' ? { result: { validators: [validator] } } : undefined;
    });
    await harness.sync({ 'node/platform_validators': {} }, proxy.url);
    expect(
      await harness.warehouse.query(`SELECT next_period, auto_compound_reward_shares, validator_authority_addresses::VARCHAR AS authority,
        restaked_validation_rewards, _extra FROM raw.node_platform_validators`),
    ).toEqual([
      {
        next_period: 0n,
        auto_compound_reward_shares: 250_000n,
        authority: '[P-fuji1a]',
        restaked_validation_rewards: '318708',
        _extra: null,
      },
    ]);
  });
});
