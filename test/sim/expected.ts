import type { Block, Container, Transaction, Utxo, World } from './world.ts';

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

/** Rows as texts; `|` parts what stands in them, and what comes first says the transaction. */
export interface Expected {
  readonly what: string;
  /** Gives the rows that a warehouse has, as `line`. */
  readonly sql: string;
  readonly rows: readonly string[];
}

/** What a warehouse holds that had time to read all there is: from the world alone. */
export function* expected(world: World, wanted: Wanted): Generator<Expected> {
  const has = (stream: string) => wanted.streams.has(stream);
  if (has('node/evm_blocks')) yield* ofBlocks(world, wanted);
  if (has('node/containers')) yield* ofContainers(world);
  yield* ofTransactions(world, wanted);
  if (has('data/primary_transactions')) yield* ofTransfers(world, wanted);
  if (has('data/utxos'))
    yield {
      what: 'UTXOs',
      sql: lines('tx_hash, utxo_id, addresses[1], amount', 'data_utxos', '_valid_to IS NULL'),
      rows: world.utxos
        .filter(({ owner }) => wanted.owners.includes(owner))
        .map(({ id, owner, amount, createdBy }) => lineOf(createdBy, id, owner, amount)),
    };
  yield* ofValidators(world, has('data/validators'));
  for (const interval of has('metrics/chain_metrics') ? wanted.intervals : [])
    yield {
      what: `${interval}s`,
      sql: lines('epoch(timestamp)::BIGINT, value_text', 'metrics_chain_metrics', `time_interval = '${interval}'`),
      rows: [...world.countBy(interval === 'hour' ? 3600 : 86_400)].map((pair) => lineOf(...pair)),
    };
}

function* ofBlocks({ blocks, transactions }: World, { traces }: Wanted): Generator<Expected> {
  yield {
    what: 'blocks',
    sql: lines('number, hash, parent_hash, epoch(timestamp)::BIGINT, gas_used', 'node_evm_blocks'),
    rows: blocks.map(blockLine),
  };
  yield {
    what: 'transactions of blocks',
    sql: lines('hash, number, tx_index, value, nonce', 'node_evm_transactions'),
    rows: transactions.map(({ hash, block, index, value, nonce }) => lineOf(hash, block.number, index, value, nonce)),
  };
  yield {
    what: 'receipts',
    sql: lines('transaction_hash, number, tx_index', 'node_evm_receipts'),
    rows: transactions.map(({ hash, block, index }) => lineOf(hash, block.number, index)),
  };
  yield {
    what: 'logs',
    sql: lines('transaction_hash, number, log_index, topics[4]', 'node_evm_logs'),
    rows: transactions.flatMap(({ hash, block, firstLog, tokens }) =>
      tokens.map((tokenId, i) =>
        lineOf(hash, block.number, firstLog + i, `0x${tokenId.toString(16).padStart(64, '0')}`),
      ),
    ),
  };
  if (traces)
    yield {
      what: 'traces',
      sql: lines('number, tx_index, frame, value', 'node_evm_traces'),
      rows: transactions.flatMap(({ block, index, value, calls }) =>
        [value, ...calls].map((amount, frame) => lineOf(block.number, index, frame, amount)),
      ),
    };
  yield { what: 'gaps', sql: 'SELECT stream AS line FROM firn.gap', rows: [] };
  yield { what: 'the checkpoint of blocks', sql: checkpointOf('node/evm_blocks'), rows: [String(blocks.length)] };
}

function* ofContainers({ containers }: World): Generator<Expected> {
  yield {
    what: 'containers',
    sql: lines(`id, "index", '0x' || lower(hex(bytes)), timestamp_text`, 'node_containers'),
    rows: containers.map(containerLine),
  };
  yield {
    what: 'the checkpoint of containers',
    sql: checkpointOf('node/containers'),
    rows: containers.length > 0 ? [String(containers.length)] : [],
  };
}

function* ofTransactions({ transactions }: World, { streams, addresses, from }: Wanted): Generator<Expected> {
  const recent = transactions.filter(({ block }) => block.time >= from);
  const columns = 'tx_hash, block_number, block_index, value';
  if (streams.has('data/latest_transactions'))
    yield {
      what: 'latest transactions',
      sql: lines(columns, 'data_latest_transactions'),
      rows: recent.map(listedLine),
    };
  const seen = new Set<Transaction>();
  const see = (some: readonly Transaction[]) => {
    for (const one of some) seen.add(one);
  };
  for (const address of addresses) {
    const own = recent.filter(({ from, to }) => from === address || to === address);
    const where = `address = '${address}'`;
    const has = (name: string) => streams.has(`data/address_${name}`);
    if (has('transactions')) {
      see(own);
      yield {
        what: `transactions of ${address}`,
        sql: lines(columns, 'data_address_transactions', where),
        rows: own.map(listedLine),
      };
      yield {
        what: `internal transactions inside those of ${address}`,
        sql: lines('tx_hash, value, "position"', 'data_address_transactions_internal_transactions', where),
        rows: own.flatMap(callLines),
      };
    }
    if (has('internal_transactions')) {
      see(own.filter(({ calls }) => calls.length > 0));
      yield {
        what: `internal transactions of ${address}`,
        sql: lines('tx_hash, value, "position"', 'data_address_internal_transactions', where),
        rows: own.flatMap(callLines),
      };
    }
    if (has('erc721_transfers')) {
      see(own.filter(({ tokens }) => tokens.length > 0));
      yield {
        what: `token transfers of ${address}`,
        sql: lines('tx_hash, log_index, erc721_token_id', 'data_address_erc721_transfers', where),
        rows: own.flatMap(({ hash, firstLog, tokens }) =>
          tokens.map((tokenId, i) => lineOf(hash, firstLog + i, tokenId)),
        ),
      };
    }
  }
  if (streams.has('data/transaction_details'))
    yield { what: 'details', sql: lines(columns, 'data_transaction_details'), rows: [...seen].map(listedLine) };
}

/** Transactions of the P-Chain. */
function* ofTransfers({ transfers }: World, { from, owners, ofAllOwners }: Wanted): Generator<Expected> {
  const isShown = ({ owner }: Utxo) => ofAllOwners || owners.includes(owner);
  const own = transfers.filter(
    ({ time, emitted, consumed }) => time >= from && (ofAllOwners || [...emitted, ...consumed].some(isShown)),
  );
  yield {
    what: 'transactions of the P-Chain',
    sql: lines('tx_hash, block_number, epoch(block_timestamp)::BIGINT', 'data_primary_transactions'),
    rows: own.map(({ hash, height, time }) => lineOf(hash, height, time)),
  };
  for (const side of ['emitted', 'consumed'] as const)
    yield {
      what: `${side} UTXOs`,
      sql: lines('tx_hash, utxo_id, addresses[1], amount', `data_primary_transactions_${side}_utxos`),
      rows: own.flatMap((one) =>
        one[side].filter(isShown).map(({ id, owner, amount }) => lineOf(one.hash, id, owner, amount)),
      ),
    };
}

function* ofValidators({ validators }: World, areRead: boolean): Generator<Expected> {
  const columns = 'tx_hash, node_id, amount_staked, delegator_count, uptime_performance::DOUBLE';
  if (areRead)
    yield {
      what: 'validators',
      sql: lines(columns, 'data_validators', '_valid_to IS NULL'),
      rows: validators.map(({ txHash, nodeId, amountStaked, delegators, uptime }) =>
        lineOf(txHash, nodeId, amountStaked, delegators, uptime),
      ),
    };
  yield {
    what: 'versions of validators that overlap or end before they begin',
    sql: `SELECT tx_hash AS line FROM (SELECT *, lead(_valid_from) OVER (PARTITION BY tx_hash ORDER BY _valid_from, _valid_to NULLS LAST) AS next FROM raw.data_validators)
     WHERE _valid_to < _valid_from OR coalesce(_valid_to, 'infinity') > next`,
    rows: [],
  };
}

const lines = (columns: string, table: string, where = 'true') =>
  `SELECT concat_ws('|', ${columns}) AS line FROM raw.${table} WHERE ${where}`;

/** Up to where a range was read. */
export const checkpointOf = (stream: string) =>
  `SELECT json_extract_string(position, '$.next') AS line FROM firn.checkpoint WHERE stream = '${stream}'`;

const lineOf = (...values: readonly unknown[]) => values.join('|');

/** The column has the bytes without their checksum. */
const containerLine = ({ id, index, bytes, timestamp }: Container) => lineOf(id, index, bytes.slice(0, -8), timestamp);

const blockLine = ({ number, hash, parentHash, time, transactions }: Block) =>
  lineOf(number, hash, parentHash, time, 21_000 * transactions.length);

const listedLine = ({ hash, block, index, value }: Transaction) => lineOf(hash, block.number, index, value);

/** Rows that are alike are told apart by their position among them. */
const callLines = ({ hash, calls }: Transaction): string[] =>
  calls.map((value, i) => lineOf(hash, value, calls.slice(0, i).filter((other) => other === value).length));
