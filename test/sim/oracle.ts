import type { Block, Container, Transaction, Utxo, World } from './world.ts';

export type Query = <R extends Record<string, unknown>>(sql: string) => Promise<R[]>;

/** The part of the world that was ever configured to be read. */
export interface Wanted {
  /** Ids of streams. */
  readonly streams: ReadonlySet<string>;
  readonly addresses: readonly string[];
  /** Whose UTXOs are wanted, and whose transactions of the P-Chain; of all, where they are not named. */
  readonly owners: readonly string[];
  readonly ofAllOwners: boolean;
  /** Histories are wanted from this moment on, Unix seconds. */
  readonly from: number;
  readonly intervals: readonly string[];
  readonly traces: boolean;
}

/**
 * Says what is wrong with a warehouse that had time to read all there is; nothing where it is as it should be. What the rows are comes from
 * the world alone.
 */
export async function judge(query: Query, world: World, wanted: Wanted): Promise<string[]> {
  const wrong: string[] = [];
  const held = new Set(
    (
      await query<{ hash: string | null }>(
        `SELECT unnest(regexp_extract_all(record, '0x[0-9a-f]{64}')) AS hash FROM firn.quarantine WHERE stream LIKE 'data/%' AND replayed_at IS NULL`,
      )
    ).map(({ hash }) => hash),
  );
  /** Rows as texts; `|` parts what stands in them, and what comes first says the transaction. */
  const compare = async (what: string, sql: string, rows: readonly string[]): Promise<void> => {
    const found = (await query<{ line: string }>(sql)).map(({ line }) => line);
    const [inFound, inRows] = [countsOf(found), countsOf(rows)];
    const missing = [...inRows].filter(
      // What could not be read is kept as it came, and told.
      ([row, count]) => (inFound.get(row) ?? 0) < count && !held.has(row.split('|')[0] as string),
    );
    const extra = [...inFound].filter(([row, count]) => (inRows.get(row) ?? 0) < count);
    if (missing[0])
      wrong.push(`${what}: ${missing.length} rows are missing of ${rows.length}, such as ${missing[0][0]}`);
    if (extra[0])
      wrong.push(
        `${what}: ${extra.length} rows are too many (${found.length} of ${rows.length}), such as ${extra[0][0]}`,
      );
  };
  const lines = (columns: string, table: string, where = 'true') =>
    `SELECT concat_ws('|', ${columns}) AS line FROM raw.${table} WHERE ${where}`;
  const { blocks, transactions } = world;
  const ofEach = <T>(
    of: (transaction: Transaction) => readonly T[],
    text: (transaction: Transaction, one: T, i: number) => string,
  ) => transactions.flatMap((transaction) => of(transaction).map((one, i) => text(transaction, one, i)));

  if (wanted.streams.has('node/evm_blocks')) {
    await compare(
      'blocks',
      lines('number, hash, parent_hash, epoch(timestamp)::BIGINT, gas_used', 'node_evm_blocks'),
      blocks.map(blockLine),
    );
    await compare(
      'transactions of blocks',
      lines('hash, number, tx_index, value, nonce', 'node_evm_transactions'),
      transactions.map(({ hash, block, index, value, nonce }) => [hash, block.number, index, value, nonce].join('|')),
    );
    await compare(
      'receipts',
      lines('transaction_hash, number, tx_index', 'node_evm_receipts'),
      transactions.map(({ hash, block, index }) => [hash, block.number, index].join('|')),
    );
    await compare(
      'logs',
      lines('transaction_hash, number, log_index, topics[4]', 'node_evm_logs'),
      ofEach(
        ({ tokens }) => tokens,
        ({ hash, block, firstLog }, tokenId, i) =>
          [hash, block.number, firstLog + i, `0x${tokenId.toString(16).padStart(64, '0')}`].join('|'),
      ),
    );
    if (wanted.traces) {
      await compare(
        'traces',
        lines('number, tx_index, frame, value', 'node_evm_traces'),
        transactions.flatMap(({ block, index, value, calls }) =>
          [value, ...calls].map((amount, frame) => [block.number, index, frame, amount].join('|')),
        ),
      );
    }
    await compare('gaps', 'SELECT stream AS line FROM firn.gap', []);
    await compare(
      'the checkpoint of blocks',
      `SELECT json_extract_string(position, '$.next') AS line FROM firn.checkpoint WHERE stream = 'node/evm_blocks'`,
      [String(blocks.length)],
    );
  }
  if (wanted.streams.has('node/containers')) {
    await compare(
      'containers',
      lines(`id, "index", '0x' || lower(hex(bytes)), timestamp_text`, 'node_containers'),
      world.containers.map(containerLine),
    );
    await compare(
      'the checkpoint of containers',
      `SELECT json_extract_string(position, '$.next') AS line FROM firn.checkpoint WHERE stream = 'node/containers'`,
      world.containers.length > 0 ? [String(world.containers.length)] : [],
    );
  }
  const recent = transactions.filter(({ block }) => block.time >= wanted.from);
  const listed = ({ hash, block, index, value }: Transaction) => [hash, block.number, index, value].join('|');
  if (wanted.streams.has('data/latest_transactions'))
    await compare(
      'latest transactions',
      lines('tx_hash, block_number, block_index, value', 'data_latest_transactions'),
      recent.map(listed),
    );
  const seen = new Set<Transaction>();
  for (const address of wanted.addresses) {
    const own = recent.filter(({ from, to }) => from === address || to === address);
    const where = `address = '${address}'`;
    const has = (name: string) => wanted.streams.has(`data/address_${name}`);
    if (has('transactions')) for (const one of own) seen.add(one);
    if (has('transactions'))
      await compare(
        `transactions of ${address}`,
        lines('tx_hash, block_number, block_index, value', 'data_address_transactions', where),
        own.map(listed),
      );
    if (has('transactions'))
      await compare(
        `internal transactions inside those of ${address}`,
        lines('tx_hash, value, "position"', 'data_address_transactions_internal_transactions', where),
        own.flatMap(callLines),
      );
    if (has('internal_transactions'))
      await compare(
        `internal transactions of ${address}`,
        lines('tx_hash, value, "position"', 'data_address_internal_transactions', where),
        own.flatMap(callLines),
      );
    if (has('internal_transactions')) for (const one of own) if (one.calls.length > 0) seen.add(one);
    if (has('erc721_transfers')) for (const one of own) if (one.tokens.length > 0) seen.add(one);
    if (has('erc721_transfers'))
      await compare(
        `token transfers of ${address}`,
        lines('tx_hash, log_index, erc721_token_id', 'data_address_erc721_transfers', where),
        own.flatMap(({ hash, firstLog, tokens }) =>
          tokens.map((tokenId, i) => [hash, firstLog + i, tokenId].join('|')),
        ),
      );
  }
  if (wanted.streams.has('data/transaction_details'))
    await compare(
      'details',
      lines('tx_hash, block_number, block_index, value', 'data_transaction_details'),
      [...seen].map(listed),
    );
  const isOwn = ({ owner }: Utxo) => wanted.owners.includes(owner);
  if (wanted.streams.has('data/primary_transactions')) {
    const isShown = wanted.ofAllOwners ? () => true : isOwn;
    const own = world.transfers.filter(
      ({ time, emitted, consumed }) =>
        time >= wanted.from && (wanted.ofAllOwners || [...emitted, ...consumed].some(isOwn)),
    );
    await compare(
      'transactions of the P-Chain',
      lines('tx_hash, block_number, epoch(block_timestamp)::BIGINT', 'data_primary_transactions'),
      own.map(({ hash, height, time }) => [hash, height, time].join('|')),
    );
    for (const side of ['emitted', 'consumed'] as const)
      await compare(
        `${side} UTXOs`,
        lines('tx_hash, utxo_id, addresses[1], amount', `data_primary_transactions_${side}_utxos`),
        own.flatMap((one) =>
          one[side].filter(isShown).map(({ id, owner, amount }) => [one.hash, id, owner, amount].join('|')),
        ),
      );
  }
  if (wanted.streams.has('data/utxos'))
    await compare(
      'UTXOs',
      lines('tx_hash, utxo_id, addresses[1], amount', 'data_utxos', '_valid_to IS NULL'),
      world.utxos.filter(isOwn).map(({ id, owner, amount, createdBy }) => [createdBy, id, owner, amount].join('|')),
    );
  if (wanted.streams.has('data/validators'))
    await compare(
      'validators',
      lines(
        'tx_hash, node_id, amount_staked, delegator_count, uptime_performance::DOUBLE',
        'data_validators',
        '_valid_to IS NULL',
      ),
      world.validators.map(({ txHash, nodeId, amountStaked, delegators, uptime }) =>
        [txHash, nodeId, amountStaked, delegators, uptime].join('|'),
      ),
    );
  await compare(
    'versions of validators that overlap or end before they begin',
    `SELECT tx_hash AS line FROM (SELECT *, lead(_valid_from) OVER (PARTITION BY tx_hash ORDER BY _valid_from, _valid_to NULLS LAST) AS next FROM raw.data_validators)
     WHERE _valid_to < _valid_from OR coalesce(_valid_to, 'infinity') > next`,
    [],
  );
  for (const interval of wanted.streams.has('metrics/chain_metrics') ? wanted.intervals : []) {
    const counts = [...world.countBy(interval === 'hour' ? 3600 : 86_400)];
    await compare(
      `${interval}s`,
      lines('epoch(timestamp)::BIGINT, value_text', 'metrics_chain_metrics', `time_interval = '${interval}'`),
      counts.map((pair) => pair.join('|')),
    );
  }
  return wrong;
}

/** The column has the bytes without their checksum. */
const containerLine = ({ id, index, bytes, timestamp }: Container) =>
  [id, index, bytes.slice(0, -8), timestamp].join('|');

const blockLine = ({ number, hash, parentHash, time, transactions }: Block) =>
  [number, hash, parentHash, time, 21_000 * transactions.length].join('|');

/** Rows that are alike are told apart by their position among them. */
const callLines = ({ hash, calls }: Transaction): string[] =>
  calls.map((value, i) => [hash, value, calls.slice(0, i).filter((other) => other === value).length].join('|'));

function countsOf(rows: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}
