import fc from 'fast-check';
import { literal } from '../../src/core/text/sqlText.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';

type Value = string | number | boolean | null | readonly string[];
type Row = Readonly<Record<string, Value>>;
/** Rows by raw table. */
type Rows = Readonly<Record<string, readonly Row[]>>;

/** What a step does: the rows of a container, in place of those it had, or of a list, or none any more. */
export interface Step {
  readonly place: Row;
  readonly rows: Rows;
  /** Whether models are built then. */
  readonly build: boolean;
}

const P = '11111111111111111111111111111111LpoYY';
const few = <T>(values: fc.Arbitrary<T>) => fc.array(values, { maxLength: 2 });
const one = <T>(...values: T[]) => fc.constantFrom(...values);
const moment = fc
  .integer({ min: 0, max: 80 })
  .map((hours) => new Date(Date.UTC(2026, 0, 5) + hours * 3_600_000).toISOString());
const hours = (values: fc.Arbitrary<string>) => fc.option(values, { freq: 3 });
// Few ids, so that what belongs together meets, in whatever order it comes.
const tx = one('t0', 't1', 't2', 't3', 't4', 't5');
const utxo = fc.tuple(tx, fc.integer({ min: 0, max: 2 }));
const asset = one('a', 'a', 'b');
const chain = one(P, 'x-chain', 'c-chain', 'elsewhere');
const amount = fc.integer({ min: 1, max: 9 });

const input = fc
  .record({ utxo, asset_id: asset, amount, source: one('input', 'imported'), source_chain_id: chain })
  .map(
    ({ utxo: [of, index], ...row }): Row => ({
      ...row,
      utxo_id: `${of}:${index}`,
      output_tx_id: of,
      output_index: index,
    }),
  );
const output = fc.record({
  output_index: fc.integer({ min: 0, max: 2 }),
  destination: one('output', 'stake', 'exported'),
  destination_chain_id: chain,
  asset_id: asset,
  amount,
  locktime: one(0, 9),
});
const staking = fc.record({
  tx_type: one('AddValidatorTx', 'AddSubnetValidatorTx', 'AddAutoRenewedValidatorTx'),
  role: one('validator', 'delegator'),
  node_id: one('n1', 'n2'),
  subnet_id: one(P, 'subnet'),
  start_time: hours(moment),
  end_time: moment,
  weight: amount,
  stake_amount: amount,
  stake_asset_id: asset,
});
const transaction = fc.record({ tx_id: tx, inputs: few(input), outputs: few(output) });
/** Rows of a chain's transactions, with what they spend and make. */
const moved = (chainName: string, all: readonly { tx_id: string; inputs: Row[]; outputs: Row[] }[]): Rows => ({
  [`containers_${chainName}_inputs`]: all.flatMap(({ tx_id, inputs }, position) =>
    inputs.map((row, input_index) => ({ ...row, tx_id, position, input_index })),
  ),
  [`containers_${chainName}_outputs`]: all.flatMap(({ tx_id, outputs }, position) =>
    outputs.map((row) => ({ ...row, tx_id, position, utxo_id: `${tx_id}:${row['output_index']}` })),
  ),
});

const platform = fc
  .record({
    height: fc.integer({ min: 0, max: 14 }),
    block_type: one(
      'BanffProposalBlock',
      'BanffStandardBlock',
      'BanffCommitBlock',
      'ApricotCommitBlock',
      'BanffAbortBlock',
    ),
    timestamp: hours(moment),
    transactions: few(
      fc.record({
        base: transaction,
        own: fc.record({
          tx_type: one(
            'BaseTx',
            'RewardValidatorTx',
            'RewardValidatorTx',
            'RewardAutoRenewedValidatorTx',
            'SetAutoRenewedValidatorConfigTx',
            'AdvanceTimeTx',
            'RemoveSubnetValidatorTx',
          ),
          details: one('{"period":"0"}', '{"period":"9"}'),
          is_proposal: one(true, true, false),
          staking_tx_id: tx,
          subnet_id: one(P, 'subnet'),
          node_id: one('n1', 'n2'),
          chain_time: hours(moment),
        }),
        staking: fc.option(staking),
        validator: fc.option(
          fc.record({
            event: one('registered', 'weight_set'),
            validation_id: one('v1', 'v2'),
            subnet_id: one('subnet'),
            node_id: one('n3'),
            weight: one(0, 4),
            balance: amount,
            block_timestamp: moment,
          }),
        ),
      }),
    ),
  })
  .map(({ height, block_type, timestamp, transactions }) => {
    const each = (row: (one: (typeof transactions)[number]) => Row | null) =>
      transactions.flatMap((one, position) => {
        const found = row(one);
        return found ? [{ ...found, tx_id: one.base.tx_id, position, block_height: height }] : [];
      });
    return {
      place: { index_name: 'P/block', index: height },
      rows: {
        containers_p_blocks: [{ height, block_type, timestamp }],
        containers_p_transactions: each(({ own }) => own),
        containers_p_staking: each((one) => one.staking),
        containers_p_l1_validators: each(({ validator }) => validator),
        ...moved(
          'p',
          transactions.map(({ base }) => base),
        ),
      } as Rows,
    };
  });
const exchange = fc
  .record({
    index_name: one('X/tx', 'X/vtx', 'X/block'),
    index: fc.integer({ min: 0, max: 2 }),
    all: few(transaction),
    at: moment,
  })
  .map(({ index_name, index, all, at }) => ({
    place: { index_name, index },
    rows: {
      containers_x_transactions: all.map(({ tx_id }, position) => ({ tx_id, position, block_timestamp: at })),
      ...moved('x', all),
    } as Rows,
  }));
const contract = fc
  .record({ index: fc.integer({ min: 0, max: 2 }), all: few(transaction), at: moment })
  .map(({ index, all, at }) => ({
    place: { index_name: 'C/block', index },
    rows: {
      containers_c_atomic_transactions: all.map(({ tx_id }, position) => ({ tx_id, position, block_timestamp: at })),
      ...moved('c', all),
    } as Rows,
  }));
const reward = fc.record({ tx_id: tx, amount, asset_id: asset, utxo }).map(({ utxo: [, index], ...row }) => ({
  place: { tx_id: row.tx_id },
  rows: {
    platform_reward_utxos: [{ ...row, utxo_id: `${row.tx_id}:${index}`, output_index: index, output_tx_id: row.tx_id }],
  } as Rows,
}));
const listed = fc
  .record({
    tx_id: tx,
    node_id: one('n1', 'n4'),
    subnet_id: one(P),
    start_time: moment,
    end_time: moment,
    weight: amount,
    _valid_from: moment,
    _valid_to: hours(moment),
  })
  .map((row) => ({ place: { tx_id: row.tx_id }, rows: { platform_validators: [row] } as Rows }));
const gone = fc
  .record({ place: fc.record({ index_name: one('P/block', 'X/tx'), index: fc.integer({ min: 0, max: 8 }) }) })
  .map((step) => ({ ...step, rows: {} as Rows }));

/** Steps through which a small network is read: containers in any order, again and changed, late rewards, lists, and rows that are gone. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: platform },
        { weight: 2, arbitrary: exchange },
        { weight: 1, arbitrary: contract },
        { weight: 2, arbitrary: reward },
        { weight: 1, arbitrary: listed },
        { weight: 1, arbitrary: gone },
      ),
      fc.boolean(),
    )
    .map(([step, build]) => ({ ...step, build })),
  { minLength: 4, maxLength: 25 },
);

type Column = {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
};

/** Empties the raw tables of a network, and gives what takes a step as one load. */
export async function emptyNetwork(warehouse: Warehouse): Promise<(step: Step) => Promise<void>> {
  const columns = await warehouse.query<Column>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable AS nullable FROM duckdb_columns()
     WHERE schema_name = 'raw' AND (table_name LIKE 'node_containers_%' OR table_name IN ('node_platform_reward_utxos', 'node_platform_validators'))`,
  );
  const tables = [...new Set(columns.map(({ table }) => table))];
  await warehouse.run(
    `${tables.map((table) => `DELETE FROM raw.${table}`).join('; ')}; DELETE FROM firn.load; DELETE FROM firn.chain;
     INSERT INTO firn.chain (chain_id, name, blockchain_id, alias, vm, pinned_at)
     VALUES ('${P}', 'P', '${P}', 'P', 'platform', now()::TIMESTAMP), ('x', 'X', 'x-chain', 'X', 'avm', now()::TIMESTAMP)`,
  );
  let load = 0;
  const sqlOf = (row: Row, { name, type, nullable }: Column): string => {
    const value = row[name];
    if (value !== undefined && value !== null) return `CAST(${literal(String(value))} AS ${type})`;
    if (nullable) return 'NULL';
    const given = { BOOLEAN: 'true', TIMESTAMP: '2026-01-05', BLOB: 'b' }[type] ?? (type.endsWith('[]') ? '[]' : '1');
    return `CAST('${given}' AS ${type})`;
  };
  return async ({ place, rows }) => {
    load += 1;
    const where = Object.entries(place).map(([name, value]) => `"${name}" = ${literal(String(value))}`);
    const replaced =
      'index' in place
        ? tables.filter((table) => table.startsWith('node_containers_'))
        : Object.keys(rows).map((table) => `node_${table}`);
    const filled = Object.entries(rows).flatMap(([table, all]) =>
      all.map((row) => {
        const own = columns.filter((column) => column.table === `node_${table}` && column.name !== '_extra');
        const values = own.map((column) => sqlOf({ ...row, ...place, _load_id: load }, column));
        return `INSERT INTO raw.node_${table} (${own.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${values.join(', ')})`;
      }),
    );
    await warehouse.run(
      [
        ...replaced.map((table) => `DELETE FROM raw.${table} WHERE ${where.join(' AND ')}`),
        ...filled,
        `INSERT INTO firn.load (load_id, run_id, stream, "partition", pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
         VALUES (${load}, 'run', 'node/containers', 'index_name=P/block', 1, 1, 1, 0, 1, now()::TIMESTAMP)`,
      ].join('; '),
    );
  };
}
