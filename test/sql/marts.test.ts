import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { eachMetric } from '../../src/transform/models/eachMetric.ts';
import { metricsOf } from '../../src/transform/models/metricsOf.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { jsonLines } from './jsonLines.ts';
import { recordedForFile } from './recordedWarehouse.ts';

const warehouse = await recordedForFile();

interface Answer {
  readonly chain: string;
  readonly method: string;
  readonly params: never;
  readonly result: never;
}

const primaryNetwork = '11111111111111111111111111111111LpoYY';

const cb58 = (bytes: Uint8Array): string => {
  const twice = createHash('sha256').update(bytes).digest().subarray(-4);
  return base58.encode(Buffer.concat([bytes, twice]));
};

/** Transaction and index at the front of an encoded UTXO. */
function place(utxo: string): string {
  const bytes = Buffer.from(utxo.slice(2), 'hex');
  return `${cb58(bytes.subarray(2, 34))}:${bytes.readUInt32BE(34)}`;
}

test('the UTXOs that nothing spent are those of the recorded final state, on every chain and for every owner', async () => {
  const answers = (await jsonLines<Answer>('final-state')).filter(({ method }) => method.endsWith('.getUTXOs'));
  const recorded = new Map<string, Set<string>>();
  for (const { chain, params, result } of answers) {
    const [address = ''] = (params as { addresses: string[] }).addresses;
    const key = `${chain} ${address.slice(2)}`;
    const utxos = recorded.get(key) ?? new Set();
    for (const utxo of (result as { utxos: string[] }).utxos) utxos.add(place(utxo));
    recorded.set(key, utxos);
  }
  const rows = await warehouse.query<{ key: string; place: string }>(
    `SELECT blockchain || ' ' || address AS "key", created_by_tx_id || ':' || output_index AS place
     FROM (SELECT *, unnest(addresses) AS address FROM mart.fct_utxo WHERE state = 'unspent')`,
  );
  const known = await warehouse.query<{ tx: string }>('SELECT tx_id AS tx FROM mart.fct_primary_transaction');
  const refunds = await warehouse.query<{ tx: string }>(
    `SELECT tx_id AS tx FROM raw.node_containers_p_l1_validators WHERE event IN ('disabled', 'weight_set')`,
  );
  const made = new Set(known.map(({ tx }) => tx));
  // What is left of an L1 validator's balance comes back in a UTXO that stands in no block, and so does genesis.
  for (const { tx } of refunds) made.delete(tx);
  const derived = new Map([...recorded.keys()].map((key) => [key, new Set<string>()]));
  for (const row of rows) derived.get(row.key)?.add(row.place);
  expect(recorded.size).toBe(45);
  for (const [key, utxos] of recorded) {
    const traceable = [...utxos].filter((utxo) => made.has(utxo.split(':')[0] ?? ''));
    const own = [...(derived.get(key) ?? [])].filter((utxo) => made.has(utxo.split(':')[0] ?? ''));
    expect(own.sort(), key).toEqual(traceable.sort());
  }
});

test('stakes bound at the end are those that platform.getStake counts', async () => {
  const answers = (await jsonLines<Answer>('final-state')).filter(({ method }) => method === 'platform.getStake');
  const rows = await warehouse.query<{ address: string; amount: bigint }>(
    `SELECT address, CAST(sum(amount) AS HUGEINT) AS amount
     FROM (SELECT *, unnest(addresses) AS address FROM mart.fct_utxo WHERE state = 'staked') GROUP BY address`,
  );
  const staked = new Map(rows.map(({ address, amount }) => [address, amount]));
  expect(answers.length).toBeGreaterThan(10);
  for (const { params, result } of answers) {
    const [address = ''] = (params as { addresses: string[] }).addresses;
    expect(staked.get(address.slice(2)) ?? 0n, address).toBe(BigInt((result as { staked: string }).staked));
  }
});

test('weights by height are those of platform.getValidatorsAt', async () => {
  const answers = (await jsonLines<Answer>('final-state')).filter(
    ({ method }) => method === 'platform.getValidatorsAt',
  );
  let compared = 0;
  for (const { params, result } of answers) {
    const { height, subnetID } = params as { height: number; subnetID?: string };
    if (subnetID !== undefined && subnetID !== primaryNetwork) continue;
    const rows = await warehouse.query<{ node: string; weight: bigint }>(
      `SELECT node_id AS node, CAST(sum(weight) AS HUGEINT) AS weight FROM mart.fct_staking
       WHERE subnet_id = '${primaryNetwork}' AND coalesce(block_height, 0) <= ${height} AND coalesce(ended_height > ${height}, true)
       GROUP BY node_id`,
    );
    const recorded = Object.entries(result as Record<string, { weight: string } | string>).map(([node, entry]) => [
      node,
      BigInt(typeof entry === 'string' ? entry : entry.weight),
    ]);
    expect(Object.fromEntries(rows.map(({ node, weight }) => [node, weight]))).toEqual(Object.fromEntries(recorded));
    compared += recorded.length;
  }
  expect(compared).toBeGreaterThan(10);
});

test('stakings end and are rewarded as the node says', async () => {
  const answers = await jsonLines<{ txID: string; finished: boolean; result: { utxos: string[] } }>('p-rewards');
  const rows = await warehouse.query<{ tx: string; state: string; amount: bigint | null; rewarded: boolean | null }>(
    `SELECT tx_id AS tx, state, CAST(reward_amount AS HUGEINT) AS amount, rewarded FROM mart.fct_staking
     WHERE subnet_id = '${primaryNetwork}' AND source = 'containers'`,
  );
  const recorded = new Map(answers.map((answer) => [answer.txID, answer]));
  expect(rows.length).toBeGreaterThan(20);
  for (const { tx, state, amount, rewarded } of rows) {
    const answer = recorded.get(tx);
    expect(state === 'ended', tx).toBe(answer?.finished);
    const utxos = answer?.result.utxos ?? [];
    const paid = utxos.reduce((sum, utxo) => sum + Buffer.from(utxo.slice(2), 'hex').readBigUInt64BE(74), 0n);
    expect(amount ?? 0n, tx).toBe(paid);
    if (paid > 0n) expect(rewarded).toBe(true);
  }
});

test('a validator has a row for every day in whose last moment it validated', async () => {
  const rows = await warehouse.query<{ days: bigint; wrong: bigint }>(
    `SELECT count(*) AS days, count(*) FILTER (NOT (s.start_time < d."day" + INTERVAL 1 DAY AND coalesce(s.ended_at >= d."day" + INTERVAL 1 DAY, true))) AS wrong
     FROM mart.fct_validator_day AS d JOIN mart.fct_staking AS s ON s.tx_id = d.tx_id`,
  );
  expect(rows[0]?.wrong).toBe(0n);
  expect(Number(rows[0]?.days)).toBeGreaterThan(100);
  const l1 = await warehouse.query<{ node: string; last: bigint; now: bigint }>(
    `SELECT v.node_id AS node, coalesce(CAST(max_by(d.weight, d."day") FILTER (d."day" = n.last_day) AS BIGINT), 0) AS last, CAST(v.weight AS BIGINT) AS now
     FROM mart.dim_l1_validator AS v CROSS JOIN (SELECT CAST(block_time AS DATE) AS last_day FROM staging.primary_now) AS n
     LEFT JOIN mart.fct_validator_day AS d ON d.tx_id = v.validation_id GROUP BY v.node_id, v.weight`,
  );
  expect(l1.length).toBeGreaterThan(1);
  for (const { last, now } of l1) expect(last).toBe(now);
});

test('token transfers add up to the supplies and owners of the final state', async () => {
  const calls = (await jsonLines<Answer>('final-state')).filter(
    ({ chain, method, result }) => chain === 'C' && method === 'eth_call' && result !== null,
  );
  const zero = '0x0000000000000000000000000000000000000000';
  const rows = await warehouse.query<{
    token: string;
    erc: string;
    from: string;
    to: string;
    id: string;
    amount: string;
  }>(
    `SELECT token_address AS token, erc_type AS erc, from_address AS "from", to_address AS "to",
       coalesce(token_id_text, CAST(token_id AS VARCHAR)) AS id, coalesce(amount_text, CAST(amount AS VARCHAR)) AS amount
     FROM mart.fct_token_transfer WHERE chain_id = '43112' ORDER BY "number", log_index, "position"`,
  );
  const supply = new Map<string, bigint>();
  const owner = new Map<string, string>();
  const balance = new Map<string, bigint>();
  for (const { token, erc, from, to, id, amount } of rows) {
    if (erc === 'ERC-20') {
      supply.set(
        token,
        (supply.get(token) ?? 0n) + (from === zero ? BigInt(amount) : 0n) - (to === zero ? BigInt(amount) : 0n),
      );
    } else if (erc === 'ERC-721') owner.set(`${token} ${id}`, to);
    else {
      for (const [holder, sign] of [
        [from, -1n],
        [to, 1n],
      ] as const) {
        const key = `${token} ${holder} ${id}`;
        balance.set(key, (balance.get(key) ?? 0n) + sign * BigInt(amount));
      }
    }
  }
  const compared = { supply: 0, owner: 0, balance: 0 };
  for (const { params, result } of calls) {
    const [{ to: token, data }] = params as [{ to: string; data: string }];
    const word = (at: number) => data.slice(10 + at * 64, 74 + at * 64);
    const answer = result as string;
    if (answer.length !== 66) continue;
    if (data === '0x18160ddd' && supply.has(token)) {
      // The tokens of the recording mint beyond 2^256 and wrap.
      expect(BigInt.asUintN(256, supply.get(token) ?? 0n), token).toBe(BigInt(answer));
      compared.supply++;
    }
    if (data.startsWith('0x6352211e')) {
      const key = `${token} ${BigInt(`0x${word(0)}`)}`;
      expect(owner.get(key), key).toBe(`0x${answer.slice(-40)}`);
      compared.owner++;
    }
    // Nobody's balance: what is minted comes from it, what is burnt goes to it.
    if (data.startsWith('0x00fdd58e') && word(0).slice(24) !== zero.slice(2)) {
      const key = `${token} 0x${word(0).slice(24)} ${BigInt(`0x${word(1)}`)}`;
      expect(BigInt.asUintN(256, balance.get(key) ?? 0n), key).toBe(BigInt(answer));
      compared.balance++;
    }
  }
  expect(compared.supply).toBeGreaterThan(3);
  expect(compared.owner).toBeGreaterThan(50);
  expect(compared.balance).toBeGreaterThan(50);
});

test('addresses with code are contracts, senders are not', async () => {
  const answers = (await jsonLines<Answer>('final-state')).filter(
    ({ chain, method }) => chain === 'C' && method === 'eth_getCode',
  );
  const rows = await warehouse.query<{ address: string; role: string }>(
    `SELECT address, "role" FROM mart.dim_address WHERE chain_id = '43112'`,
  );
  const roles = new Map(rows.map(({ address, role }) => [address, role]));
  let contracts = 0;
  for (const { params, result } of answers) {
    const [address] = params as [string];
    if (result === '0x' || roles.get(address) === undefined) continue;
    contracts++;
    expect(roles.get(address), address).toBe('contract');
  }
  expect(contracts).toBeGreaterThan(100);
  const [senders] = await warehouse.query<{ wrong: bigint }>(
    `SELECT count(*) AS wrong FROM mart.dim_address AS a JOIN mart.fct_transaction AS t ON t.chain_id = a.chain_id AND t.from_address = a.address
     WHERE a."role" <> 'eoa'`,
  );
  expect(senders?.wrong).toBe(0n);
});

test('the wide metrics are the long ones', async () => {
  const [row] = await warehouse.query<{ days: bigint; wrong: bigint; average: bigint }>(
    `SELECT count(*) AS days, count(*) FILTER (d.tx_count IS DISTINCT FROM t.numerator) AS wrong, count(d.avg_tps) AS average
     FROM mart.metric AS t LEFT JOIN mart.metric_daily AS d ON d.chain_id = t.chain_id AND d."day" = CAST(t.bucket AS DATE)
     WHERE t.metric = 'txCount' AND t.time_interval = 'day'`,
  );
  expect(row?.wrong).toBe(0n);
  // Of the C-Chain and of an L1.
  expect(Number(row?.days)).toBe(75 + 66);
  expect(Number(row?.average)).toBeGreaterThan(60);
});

test('every column of a mart says what it is', async () => {
  const all = await readModels();
  const metrics = metricsOf(all);
  const models = all
    .map((model) => eachMetric(model, metrics))
    .filter(({ name }) => /^mart\.(dim|fct)_|^mart\.(metric_daily|token_flow|unlock_calendar)$/.test(name));
  expect(models.length).toBeGreaterThan(15);
  for (const { name, columns, description } of models) {
    const rows = await warehouse.query<{ column: string }>(
      `SELECT column_name AS "column" FROM duckdb_columns() WHERE schema_name || '.' || table_name = '${name}' ORDER BY column_index`,
    );
    expect(Object.keys(columns), name).toEqual(rows.map(({ column }) => column));
    expect(description, name).not.toBe('');
  }
});
