import { literal } from '../../../src/core/text/sqlText.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { avax, cb58 } from './coins.ts';
import type { Flaw } from './flaw.ts';
import type { Coin, Container, Cycle, Tx } from './history.ts';
import { insertRows, moment, noteLoad, owners } from './rawRows.ts';

const chains = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const;
const text = (value: string | null) => (value === null ? 'NULL' : literal(value));

/** A coin as the service lists it, with what spent it. */
interface Shown {
  readonly coin: Coin;
  readonly by: Tx | null;
  readonly time: number | null;
}

/** Reads what the data service says of a history: of every block that its nodes accepted. */
export class ServiceReader {
  readonly #warehouse: Warehouse;
  readonly #flaw: Flaw;
  readonly #listed = new Set<string>();
  #shown = new Map<string, Shown>();
  readonly #current = new Map<string, Cycle>();
  /** Every version of a cycle that was read. */
  readonly cycles: Cycle[] = [];

  constructor(warehouse: Warehouse, flaw: Flaw) {
    this.#warehouse = warehouse;
    this.#flaw = flaw;
  }

  async readTransactions(accepted: readonly Container[]): Promise<void> {
    for (const [chain, blockchain] of Object.entries(chains)) {
      // A transaction that was proposed twice is listed once.
      const fresh = accepted
        .filter(({ index }) => index === `${chain}/block`)
        .flatMap(({ height, time, node, txs }) => txs.map((tx) => ({ tx, height, time: time ?? node.time })))
        .filter(({ tx }) => !this.#listed.has(tx.id) && this.#listed.add(tx.id));
      if (fresh.length === 0) continue;
      const load = await noteLoad(this.#warehouse, 'data/primary_transactions', `blockchain=${blockchain}`);
      const shared = (tx: Tx) => ({
        network: "'fuji'",
        blockchain: literal(blockchain),
        tx_hash: literal(tx.id),
        _load_id: String(load),
      });
      await insertRows(
        this.#warehouse,
        'data_primary_transactions',
        fresh.map(({ tx, height, time }) => ({
          ...shared(tx),
          tx_type: literal(tx.type),
          block_number: String(height),
          block_timestamp: moment(time),
        })),
      );
      await insertRows(
        this.#warehouse,
        'data_primary_transactions_amounts',
        fresh.map(({ tx, time }) => ({
          ...shared(tx),
          position: '0',
          block_timestamp: moment(time),
          kind: "'amountBurned'",
          asset_id: literal(cb58(avax)),
          amount: String(
            burned(tx) + (this.#flaw.breaks('assert_data_primary_transactions_equal_containers') ? 7n : 0n),
          ),
        })),
      );
    }
  }

  /** Every UTXO that a block made or spent; one that changed in another version. */
  async readUtxos(accepted: readonly Container[]): Promise<void> {
    const now = new Map<string, Shown>();
    for (const { txs, time, node } of accepted) {
      for (const by of txs) {
        for (const { coin } of by.given) if (!now.has(coin.id)) now.set(coin.id, { coin, by: null, time: null });
        for (const { coin } of by.taken) if (now.has(coin.id)) now.set(coin.id, { coin, by, time: time ?? node.time });
      }
    }
    const at = accepted.at(-1)?.node.time ?? 0;
    for (const [chain, blockchain] of Object.entries(chains)) {
      const own = [...now.values()].filter(({ coin }) => coin.holder === chain);
      const fresh = own.filter(
        ({ coin, by }) => this.#shown.get(coin.id)?.by?.id !== by?.id || !this.#shown.has(coin.id),
      );
      const load = await noteLoad(this.#warehouse, 'data/utxos', `blockchain=${blockchain}`);
      const ids = ['NULL', ...fresh.map(({ coin }) => literal(coin.id))];
      await this.#warehouse.run(
        `UPDATE raw.data_utxos SET _valid_to = ${moment(at, load)} WHERE _valid_to IS NULL AND utxo_id IN (${ids.join(', ')})`,
      );
      await insertRows(
        this.#warehouse,
        'data_utxos',
        fresh.map(({ coin: { id, txId, index, asset, amount, owner, stakeable }, by, time }) => ({
          network: "'fuji'",
          blockchain: literal(blockchain),
          utxo_id: literal(id),
          addresses: owners([...owner.addresses].reverse()),
          threshold: String(owner.threshold),
          amount:
            amount === null ? 'NULL' : String(amount + (this.#flaw.breaks('assert_data_utxos_equal_utxos') ? 7n : 0n)),
          asset_id: literal(cb58(asset)),
          tx_hash: literal(cb58(txId)),
          output_index: String(index),
          consuming_tx_hash: text(by?.id ?? null),
          consuming_block_timestamp: time === null ? 'NULL' : moment(time),
          platform_locktime: String(owner.locktime),
          stakeable_locktime: stakeable === null ? 'NULL' : String(stakeable),
          _load_id: String(load),
          _valid_from: moment(at, load),
        })),
      );
    }
    this.#shown = now;
  }

  /** Cycles of all nodes, or of some: a settled one is another version of the one that ran. */
  async readCycles(all: readonly Cycle[], ofNodes: number): Promise<void> {
    const nodes = [...new Set(all.map(({ node }) => node))].sort().slice(ofNodes % 3);
    const keyOf = ({ staking, index }: Cycle) => `${staking} ${index}`;
    for (const node of nodes) {
      const load = await noteLoad(this.#warehouse, 'data/validator_cycles', `node_id=${node}`);
      const known = (one: Cycle) => this.#current.get(keyOf(one));
      const fresh = all.filter((one) => one.node === node && known(one)?.outcome !== one.outcome);
      for (const one of fresh.filter(known))
        await this.#warehouse.run(
          `UPDATE raw.data_validator_cycles SET _valid_to = ${moment(one.end, load)}
           WHERE _valid_to IS NULL AND staking_tx_hash = ${literal(one.staking)} AND cycle_index = ${one.index}`,
        );
      await insertRows(
        this.#warehouse,
        'data_validator_cycles',
        fresh.map(({ staking, index, start, end, weight, outcome, rewardTx, earned, again }) => {
          const settled = (amount: bigint) => (outcome === null ? 'NULL' : String(amount));
          return {
            network: "'fuji'",
            node_id: literal(node),
            staking_tx_hash: literal(staking),
            cycle_index: String(index),
            start_timestamp: moment(start),
            end_timestamp: moment(end),
            weight_at_cycle_start: String(weight),
            outcome: text(outcome),
            reward_tx_hash: text(rewardTx),
            gross_validation_reward: settled(earned[0]),
            gross_delegatee_reward: settled(earned[1]),
            compounded_validation_reward: settled(again[0]),
            compounded_delegatee_reward: settled(again[1]),
            _load_id: String(load),
            _valid_from: moment(start, load),
          };
        }),
      );
      for (const one of fresh) this.#current.set(keyOf(one), one);
      this.cycles.push(...fresh);
    }
  }
}

/** AVAX that a transaction takes and does not give; without the balances of L1 validators, which the service tells apart. */
function burned({ taken, debited, given, credited, l1 }: Tx): bigint {
  const sum = (all: readonly { readonly asset: Buffer; readonly amount: bigint | null }[]) =>
    all.filter(({ asset }) => asset === avax).reduce((total, { amount }) => total + (amount ?? 0n), 0n);
  const coins = (all: readonly { readonly coin: Coin }[]) => all.map(({ coin }) => coin);
  const balances = l1.reduce((total, { balance }) => total + (balance ?? 0n), 0n);
  return sum([...coins(taken), ...debited]) - sum([...coins(given), ...credited]) - balances;
}
