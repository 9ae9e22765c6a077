import { containers } from '../../../pipelines/node/containers.ts';
import { platformRewardUtxos } from '../../../pipelines/node/platformRewardUtxos.ts';
import { literal } from '../../../src/core/text/sqlText.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { encodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { commitRecords } from '../loadLedger.ts';
import { cb58, chainIds, filled } from './coins.ts';
import type { Read } from './expected.ts';
import { Flaw, type FlawKind } from './flaw.ts';
import type { Coin, Container, Listed, NodeView } from './history.ts';
import { insertRows, moment, noteLoad, owners } from './rawRows.ts';
import type { Reading } from './reads.ts';
import { ServiceReader } from './serviceReader.ts';

const primary = cb58(chainIds.P);

/** Reads a history into a warehouse as the streams of a node do, and knows what was read. */
export class WarehouseReader {
  readonly #warehouse: Warehouse;
  readonly #history: readonly Container[];
  readonly #notesGaps: boolean;
  readonly #held = new Set<Container>();
  readonly #lists: (readonly Listed[])[] = [];
  readonly #rewards = new Map<string, Coin[]>();
  readonly #asked = new Set<string>();
  readonly #service: ServiceReader;
  #reached = 0;
  #run = 0;

  /** @param kind the rule that is broken: a gap that nobody knows of, or what the data service says */
  constructor(warehouse: Warehouse, history: readonly Container[], kind: FlawKind | null = null) {
    this.#warehouse = warehouse;
    // What lies between containers that are held counts as known to be missing.
    this.#notesGaps = kind !== 'assert_container_indexes_without_gap';
    this.#history = history;
    this.#service = new ServiceReader(warehouse, new Flaw(kind));
  }

  get read(): Read {
    return { held: this.#held, lists: this.#lists, rewards: this.#rewards, cycles: this.#service.cycles };
  }

  /** Empties what reads fill, as if nothing had been read or built. */
  async begin(): Promise<void> {
    const raw = await this.#warehouse.query<{ name: string }>(
      `SELECT 'raw.' || table_name AS name FROM duckdb_tables() WHERE schema_name = 'raw' AND regexp_matches(table_name, '^node_(containers|platform)|^data_(primary_transactions|utxos|validator_cycles)')`,
    );
    const emptied = [
      ...raw.map(({ name }) => name),
      'firn.load',
      'firn.chain',
      'firn.gap',
      'firn.audit_state',
      'firn.checkpoint',
    ];
    await this.#warehouse.run(emptied.map((name) => `DELETE FROM ${name}`).join('; '));
    await this.#warehouse.run(
      `INSERT INTO firn.chain (chain_id, name, blockchain_id, alias, vm, pinned_at) VALUES
         (${literal(primary)}, 'P', ${literal(primary)}, 'P', 'platform', now()::TIMESTAMP),
         (${literal(cb58(chainIds.X))}, 'X', ${literal(cb58(chainIds.X))}, 'X', 'avm', now()::TIMESTAMP),
         ('43112', 'C', ${literal(cb58(chainIds.C))}, 'C', 'evm', now()::TIMESTAMP)`,
    );
  }

  async take({ what, from, until, later, sameRun }: Reading): Promise<void> {
    this.#reached = Math.min(this.#history.length, this.#reached + Math.ceil((later / 1000) * this.#history.length));
    const accepted = this.#history.slice(0, this.#reached);
    if (!sameRun) this.#run += 1;
    const node = accepted.at(-1)?.node;
    if (what === 'validators') await this.#readValidators(node);
    else if (what === 'rewards') await this.#readRewards(node);
    else if (what === 'transactions') await this.#service.readTransactions(accepted);
    else if (what === 'utxos') await this.#service.readUtxos(accepted);
    else if (what === 'cycles') await this.#service.readCycles(node?.cycles ?? [], from);
    else if (what === 'supply') await this.#readSupply(node);
    else if (what === 'balances') await this.#readBalances(node);
    else {
      const all = accepted.filter(({ index }) => index === what);
      await this.#readContainers(
        all.slice(Math.floor((all.length * from) / 1000), Math.ceil((all.length * until) / 1000)),
      );
    }
    await this.#warehouse.run(
      `UPDATE firn.load SET run_id = 'run ${this.#run}', committed_at = ${moment(node?.time ?? 0)} WHERE run_id = 'test'; ${await this.#gaps()}`,
    );
  }

  async #readContainers(some: readonly Container[]): Promise<void> {
    const index = some[0]?.index;
    if (!index) return;
    const partition = { values: { index_name: index }, settings: { path: '', decode: true, allowIncomplete: false } };
    const records = some.map(({ place, id, bytes, node }) => ({
      index: String(place),
      id,
      bytes: encodeHexChecksum(bytes),
      timestamp: new Date(node.time * 1000).toISOString(),
      timestampText: '',
      encoding: 'hex',
    }));
    await commitRecords(this.#warehouse, containers as never, partition, records);
    for (const one of some) this.#held.add(one);
  }

  /** What lies between the containers that are held is known to be missing. */
  async #gaps(): Promise<string> {
    if (!this.#notesGaps) return 'SELECT 1';
    const gaps: string[] = [];
    for (const index of ['P/block', 'X/block', 'X/tx', 'X/vtx', 'C/block']) {
      const places = [...this.#held]
        .filter((one) => one.index === index)
        .map(({ place }) => place)
        .sort((a, b) => a - b);
      places.forEach((place, i) => {
        const before = places[i - 1];
        if (before !== undefined && before < place - 1)
          gaps.push(`('node/containers', 'index_name=${index}', ${before + 1}, ${place - 1}, 1)`);
      });
    }
    const filled =
      gaps.length > 0
        ? `INSERT INTO firn.gap (stream, "partition", from_position, to_position, load_id) VALUES ${gaps.join(', ')}`
        : 'SELECT 1';
    return `DELETE FROM firn.gap; ${filled}`;
  }

  async #readValidators(node: NodeView | undefined): Promise<void> {
    if (!node) return;
    const before = this.#lists.at(-1) ?? [];
    const loads = new Map<string, number>();
    for (const subnet of new Set([primary, ...[...before, ...node.listed].map((one) => one.subnet)]))
      loads.set(subnet, await noteLoad(this.#warehouse, 'node/platform_validators', `subnet_id=${subnet}`));
    const load = loads.get(primary);
    const same = (a: Listed) => (b: Listed) =>
      a.txId === b.txId &&
      a.weight === b.weight &&
      a.end === b.end &&
      a.reward === b.reward &&
      a.nextPeriod === b.nextPeriod;
    this.#lists.push(node.listed);
    const tables = { validator: 'node_platform_validators', delegator: 'node_platform_delegators' };
    for (const [role, table] of Object.entries(tables)) {
      const gone = before.filter((one) => one.role === role && !node.listed.some(same(one)));
      const ended = ['NULL', ...gone.map(({ txId }) => literal(txId))];
      await this.#warehouse.run(
        `UPDATE raw.${table} SET _valid_to = ${moment(node.time, load)} WHERE _valid_to IS NULL AND tx_id IN (${ended.join(', ')})`,
      );
      const fresh = node.listed.filter((one) => one.role === role && !before.some(same(one)));
      const prefix = role === 'validator' ? 'validation_' : '';
      await insertRows(
        this.#warehouse,
        table,
        fresh.map(({ txId, node: nodeId, subnet, start, end, weight, reward, owner, nextPeriod }) => ({
          subnet_id: literal(subnet),
          node_id: literal(nodeId),
          tx_id: literal(txId),
          start_time: moment(start),
          end_time: moment(end),
          weight: String(weight),
          potential_reward: String(reward),
          ...(role === 'validator' && { next_period: nextPeriod === null ? 'NULL' : String(nextPeriod) }),
          [`${prefix}reward_owner_addresses`]: owner.addresses.length > 0 ? owners(owner.addresses, 'P-') : 'NULL',
          _load_id: String(loads.get(subnet)),
          _valid_from: moment(node.time, load),
        })),
      );
    }
  }

  /** Asks about what the stream says is decided, once each. */
  async #readRewards(node: NodeView | undefined): Promise<void> {
    if (!node) return;
    const decided = await this.#warehouse.query<{ key: string }>(
      (platformRewardUtxos as unknown as { keys: () => string }).keys(),
    );
    const keys = decided.map(({ key }) => key).filter((key) => !this.#asked.has(key));
    if (keys.length === 0) return;
    const load = await noteLoad(this.#warehouse, 'node/platform_reward_utxos', '');
    for (const key of keys) {
      this.#asked.add(key);
      const { call, about } = (
        platformRewardUtxos as unknown as {
          request: (key: string) => { call: { params: { txID: string } }; about: string };
        }
      ).request(key);
      const coins = node.rewards.get(call.params.txID) ?? [];
      this.#rewards.set(about, [...(this.#rewards.get(about) ?? []), ...coins]);
      await insertRows(
        this.#warehouse,
        'node_platform_reward_utxos',
        coins.map(({ id, txId, index, asset, type, amount, owner }) => ({
          tx_id: literal(about),
          utxo_id: literal(id),
          output_tx_id: literal(cb58(txId)),
          output_index: String(index),
          asset_id: literal(cb58(asset)),
          output_type: literal(type),
          amount: String(amount),
          locktime: String(owner.locktime),
          threshold: String(owner.threshold),
          addresses: owners(owner.addresses),
          bytes: "'\\x00'::BLOB",
          _load_id: String(load),
        })),
      );
    }
  }

  async #readSupply(node: NodeView | undefined): Promise<void> {
    if (!node) return;
    const load = await noteLoad(this.#warehouse, 'node/platform_supply', `subnet_id=${primary}`);
    await this.#warehouse.run(
      `UPDATE raw.node_platform_supply SET _valid_to = ${moment(node.time)} WHERE _valid_to IS NULL`,
    );
    await insertRows(this.#warehouse, 'node_platform_supply', [
      {
        subnet_id: literal(primary),
        supply: String(node.supply),
        height: String(node.height),
        _load_id: String(load),
        _valid_from: moment(node.time),
      },
    ]);
  }

  async #readBalances(node: NodeView | undefined): Promise<void> {
    if (!node) return;
    for (const byte of [0x10, 0x11]) {
      const address = filled(byte, 20);
      const text = toBech32(address, 'local');
      const load = await noteLoad(this.#warehouse, 'node/platform_balances', `address=${text}`);
      const own = node.coins.filter(({ owner }) => owner.addresses.some((one) => one.equals(address)));
      const assets = new Set(own.map(({ asset }) => cb58(asset)));
      const ids = JSON.stringify(own.map(({ txId, index }) => ({ txID: cb58(txId), outputIndex: index })));
      await this.#warehouse.run(`DELETE FROM raw.node_platform_balances WHERE address = ${literal(text)}`);
      await insertRows(
        this.#warehouse,
        'node_platform_balances',
        [...assets].map((asset) => {
          const balance = own
            .filter((coin) => cb58(coin.asset) === asset)
            .reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
          return {
            address: literal(text),
            asset_id: literal(asset),
            balance: String(balance),
            unlocked: String(balance),
            locked_stakeable: '0',
            locked_not_stakeable: '0',
            utxo_ids: literal(ids),
            _load_id: String(load),
            _valid_from: moment(node.time),
          };
        }),
      );
    }
  }
}
