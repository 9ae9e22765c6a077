import type { Buffer } from 'node:buffer';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { cb58, chainIds, filled } from './coins.ts';
import type {
  Chain,
  Coin,
  Container,
  Cycle,
  Given,
  L1Event,
  Listed,
  Owner,
  Staking,
  SubnetEvent,
  Taken,
  Tx,
} from './history.ts';

/** What was read of a history so far. */
export interface Read {
  readonly held: ReadonlySet<Container>;
  /** Lists of validators, the newest last. */
  readonly lists: readonly (readonly Listed[])[];
  /** Reward UTXOs, by the staking that they reward. */
  readonly rewards: ReadonlyMap<string, readonly Coin[]>;
  /** Cycles that the data service listed, the newest version last. */
  readonly cycles: readonly Cycle[];
}

/** A row of a model, each column as text. */
export type Row = Readonly<Record<string, string | null>>;

const primary = cb58(chainIds.P);
const aliases = ['P', 'X', 'C'] as const;
const textOf = (value: bigint | number | boolean | null | undefined) =>
  value === null || value === undefined ? null : String(value);
const moment = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined
    ? null
    : new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);
const whole = (n: bigint | null) => {
  if (n === null) return null;
  const digits = String(n < 0n ? -n : n).padStart(10, '0');
  return `${n < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}000000000`;
};
const sum = (terms: readonly (bigint | null)[]) => terms.reduce<bigint>((a, b) => a + (b ?? 0n), 0n);
const names = (owner: Owner | null) => owner && `[${owner.addresses.map((one) => toBech32(one, 'local')).join(', ')}]`;
const chainIdOf = (chain: Chain) => (chain === 'C' ? '43112' : cb58(chainIds[chain]));

/** A transaction where it counts, with the time of its block and what became of it. */
interface Placed {
  readonly tx: Tx;
  readonly container: Container;
  readonly position: number;
  readonly time: number | null;
  readonly outcome: string;
  /** Of a proposal: the block that decided it. */
  readonly decided: { readonly height: number; readonly time: number | null } | null;
}

interface Spent {
  readonly by: Placed;
  readonly taken: Taken;
}

/** The end of a staking. */
interface Ending {
  readonly height: number;
  readonly time: number | null;
  readonly rewarded: boolean;
  readonly rewardTx: string;
}

/** A cycle of a validator that renews itself; `known` is its weight, where something tells it. */
interface CycleRow {
  readonly staking: string;
  readonly node: string | null;
  readonly start: number;
  readonly end: number | null;
  readonly known: bigint | null;
  readonly weight: bigint;
  readonly outcome: string | null;
  readonly rewardTx: string | null;
  readonly earned: bigint | null;
  readonly again: bigint | null;
}

interface StakingRow {
  readonly text: Row;
  readonly state: string;
  readonly role: string;
  readonly node: string;
  readonly subnet: string;
  readonly txId: string;
  readonly weight: bigint;
  readonly start: number | null;
  readonly endedAt: number | null;
}

/** What models of the Primary Network have to hold, from the containers that are held and what the node said beside them. */
export class Expected {
  readonly #read: Read;
  readonly #blocks: readonly { readonly container: Container; readonly time: number | null }[];
  readonly #placed: readonly Placed[];
  readonly #avax: string | undefined;
  readonly #endings = new Map<string, Ending>();
  readonly #now: number | null;
  /** Height from which on a block has shown rules of Durango. */
  readonly #durango: number;

  constructor(read: Read) {
    this.#read = read;
    const held = [...read.held].sort((a, b) => a.place - b.place);
    this.#blocks = timed(held.filter(({ index }) => index === 'P/block'));
    this.#placed = [
      ...this.#platform(),
      ...exchange(held),
      ...inBlocks(held.filter(({ index }) => index === 'C/block')),
    ];
    this.#avax = this.#avaxOf();
    const times = this.#blocks.flatMap(({ time }) => time ?? []);
    this.#now = times.length > 0 ? Math.max(...times) : null;
    const shown = this.#placed.filter(({ tx, container }) => {
      const isNew = /^Base|Ownership|L1|AutoRenewed/.test(tx.type) && tx.chain === 'P';
      const start = tx.staking?.start ?? null;
      return isNew || (start !== null && container.time !== null && start <= container.time);
    });
    this.#durango = Math.min(Number.POSITIVE_INFINITY, ...shown.map(({ container }) => container.height as number));
    this.#end();
  }

  #platform(): Placed[] {
    const byHeight = new Map(this.#blocks.map((block) => [block.container.height, block]));
    return this.#blocks.flatMap(({ container, time }) =>
      container.txs.map((tx, position): Placed => {
        const next = tx.isProposal ? byHeight.get((container.height as number) + 1) : undefined;
        const decision = next && decisionOf(next.container);
        return {
          tx,
          container,
          position,
          time,
          outcome: tx.isProposal ? (decision ?? 'pending') : 'accepted',
          decided: next && decision ? { height: next.container.height as number, time: next.time } : null,
        };
      }),
    );
  }

  /** What the Primary Network stakes; else the asset that most outputs of the P-Chain hold that are not staked, undefined where none is held. */
  #avaxOf(): string | undefined {
    const staked = this.#placed.find(({ tx }) => tx.staking?.subnet === primary && tx.staking.stakeAsset);
    if (staked) return staked.tx.staking?.stakeAsset ?? undefined;
    const counts = new Map<string, number>();
    for (const { tx } of this.#placed.filter(({ tx: { chain } }) => chain === 'P'))
      for (const { coin } of tx.given.filter(({ destination }) => destination !== 'stake'))
        counts.set(cb58(coin.asset), (counts.get(cb58(coin.asset)) ?? 0) + 1);
    return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]?.[0];
  }

  #isAvax = (asset: Buffer): boolean => cb58(asset) === this.#avax;

  /** Stakings end with their reward; one that renews itself when a cycle is aborted, or when it was told to end with the cycle. */
  #end(): void {
    const periods = new Map<string, bigint>();
    for (const { tx, outcome, decided } of this.#placed) {
      if (tx.period !== null) periods.set(tx.about ?? tx.id, tx.period);
      if (!decided || tx.about === null) continue;
      const isCommitted = outcome === 'committed';
      if (tx.type === 'RewardAutoRenewedValidatorTx' && isCommitted && periods.get(tx.about) !== 0n) continue;
      this.#endings.set(tx.about, { ...decided, rewarded: isCommitted, rewardTx: tx.id });
    }
  }

  /** Rows of mart.fct_primary_transaction. */
  transactions(): Row[] {
    return this.#placed.map(({ tx, container, position, time, outcome }) => {
      const inputs = [
        ...tx.taken.map(({ coin, source }) => ({
          asset: coin.asset,
          amount: source === 'operation' ? null : coin.amount,
        })),
        ...tx.debited,
      ];
      const outputs = [...tx.given.map(({ coin }) => coin), ...tx.credited];
      const of = (all: readonly { readonly asset: Buffer; readonly amount: bigint | null }[]) =>
        this.#avax === undefined
          ? null
          : sum(all.filter(({ asset }) => this.#isAvax(asset)).map(({ amount }) => amount));
      const [taken, given] = [of(inputs), of(outputs)];
      const burned = taken === null || given === null ? null : taken - given;
      const staked = of(tx.given.filter(({ destination }) => destination === 'stake').map(({ coin }) => coin));
      return {
        chain_id: chainIdOf(tx.chain),
        blockchain: tx.chain,
        tx_id: tx.id,
        tx_type: tx.type,
        block_height: textOf(container.height),
        position: String(position),
        block_time: moment(time),
        outcome,
        source_chain: tx.from,
        destination_chain: tx.to,
        subnet_id: tx.subnet,
        node_id: tx.node,
        staking_tx_id: tx.about,
        input_count: String(inputs.length),
        output_count: String(outputs.length),
        amount_in: textOf(taken),
        amount_out: textOf(given),
        amount_staked: textOf(staked),
        amount_burned: textOf(burned),
        amount_in_avax: whole(taken),
        amount_out_avax: whole(given),
        amount_staked_avax: whole(staked),
        amount_burned_avax: whole(burned),
        l1_balance: String(sum(tx.l1.map(({ balance }) => balance))),
        memo: tx.memo,
      };
    });
  }

  #utxos(): {
    coin: Coin;
    given: Given | null;
    by: Placed | null;
    reward: { height: number | null; time: number | null } | null;
    spent: Spent | null;
  }[] {
    const spent = new Map<string, Spent>();
    for (const by of this.#placed) for (const taken of by.tx.taken) spent.set(taken.coin.id, { by, taken });
    const made = this.#placed.flatMap((by) =>
      by.tx.given.map((given) => ({ coin: given.coin, given, by, reward: null })),
    );
    const rewarded = [...this.#read.rewards].flatMap(([staking, coins]) =>
      coins.map((coin) => ({ coin, given: null, by: null, reward: this.#granted(staking, coin) })),
    );
    const known = [...made, ...rewarded].map((one) => ({ ...one, spent: spent.get(one.coin.id) ?? null }));
    const ids = new Set(known.map(({ coin }) => coin.id));
    const unknown = [...spent.values()].filter(({ taken }) => !ids.has(taken.coin.id));
    return [
      ...known,
      ...unknown.map((one) => ({ coin: one.taken.coin, given: null, by: null, reward: null, spent: one })),
    ];
  }

  /** The block that granted a reward: under the transaction that decided it a cycle's, else under the staking. */
  #granted(staking: string, coin: Coin): { height: number | null; time: number | null } {
    const cycle = this.#placed.find(({ tx, decided }) => tx.id === cb58(coin.txId) && tx.about === staking && decided);
    return cycle?.decided ?? this.#endings.get(staking) ?? { height: null, time: null };
  }

  /** Rows of mart.fct_utxo. */
  utxos(): Row[] {
    return this.#utxos().map(({ coin, given, by, reward, spent }) => {
      const isKnown = by !== null || reward !== null;
      const taken = spent?.taken;
      // What is imported was held by the importing chain.
      const holder = isKnown ? coin.holder : (spent?.by.tx.chain as Chain);
      const amount = isKnown || taken?.source !== 'operation' ? coin.amount : null;
      const stakeable = isKnown || taken?.asLocked ? coin.stakeable : null;
      const isStake = given?.destination === 'stake';
      const txId = cb58(coin.txId);
      const isStaked = isStake && !this.#endings.has(txId) && by?.outcome !== 'aborted';
      const time = by ? by.time : reward?.time;
      return {
        utxo_id: coin.id,
        chain_id: chainIdOf(holder),
        blockchain: holder,
        created_on: by ? by.tx.chain : reward ? 'P' : null,
        created_by_tx_id: txId,
        output_index: String(coin.index),
        created_height: textOf(by ? by.container.height : reward?.height),
        created_time: moment(time),
        origin: given?.destination ?? (reward ? 'reward' : 'unknown'),
        output_type: isKnown ? coin.type : null,
        asset_id: cb58(coin.asset),
        amount: textOf(amount),
        amount_avax: this.#isAvax(coin.asset) ? whole(amount) : null,
        addresses: isKnown ? names(coin.owner) : null,
        threshold: isKnown ? String(coin.owner.threshold) : null,
        locktime: isKnown ? String(coin.owner.locktime) : null,
        locked_until: isKnown && coin.owner.locktime > 0n ? moment(Number(coin.owner.locktime)) : null,
        stakeable_locktime: textOf(stakeable),
        stakeable_until: stakeable ? moment(Number(stakeable)) : null,
        state: spent ? 'spent' : isStaked ? 'staked' : 'unspent',
        staking_ends: isStake ? moment(by?.tx.staking?.end) : null,
        consumed_on: spent?.by.tx.chain ?? null,
        consumed_by_tx_id: spent?.by.tx.id ?? null,
        consumed_height: textOf(spent?.by.container.height),
        consumed_time: moment(spent?.by.time),
      };
    });
  }

  /** Rows of mart.unlock_calendar. */
  calendar(): Row[] {
    const found = new Map<string, { utxos: number; amount: bigint }>();
    for (const row of this.utxos()) {
      if (row['state'] === 'spent' || row['amount_avax'] === null || this.#now === null) continue;
      const holds: [kind: string, until: string | null | undefined][] = [
        ['staking', row['state'] === 'staked' ? row['staking_ends'] : ''],
        ['stakeable_locktime', row['stakeable_locktime'] === null ? '' : row['stakeable_until']],
        ['locktime', row['locktime'] === '0' ? '' : row['locked_until']],
      ];
      const last = holds.reduce((one, other) => ((other[1] ?? '') > (one[1] ?? '') ? other : one));
      const isKnown = holds.every(([, until]) => until !== null && until !== undefined);
      if (!isKnown || !last[1] || last[1] <= (moment(this.#now) as string)) continue;
      const key = `${last[1].slice(0, 10)} ${last[0]} ${row['blockchain']}`;
      const { utxos, amount } = found.get(key) ?? { utxos: 0, amount: 0n };
      found.set(key, { utxos: utxos + 1, amount: amount + BigInt(row['amount'] ?? 0) });
    }
    return [...found].map(([key, { utxos, amount }]) => {
      const [day = '', kind = '', blockchain = ''] = key.split(' ');
      return { day, kind, blockchain, utxos: String(utxos), amount: String(amount), amount_avax: whole(amount) };
    });
  }

  /** Cycles by staking, each from the first moment at which anything says that it begins. */
  #cycles(): Map<string, CycleRow[]> {
    const begun = new Map<string, Map<number, bigint | null>>();
    const nodes = new Map<string, string>();
    const begins = (staking: string, start: number, weight: bigint | null, node: string | null) => {
      const own = begun.get(staking) ?? new Map<number, bigint | null>();
      begun.set(staking, own.set(start, own.get(start) ?? weight));
      if (node) nodes.set(staking, node);
    };
    const renewals: { staking: string; time: number; tx: string }[] = [];
    for (const { tx, time, decided } of this.#placed) {
      if (tx.type === 'AddAutoRenewedValidatorTx' && tx.staking)
        begins(tx.id, time as number, tx.staking.weight, tx.staking.node);
      if (tx.type !== 'RewardAutoRenewedValidatorTx' || !tx.about || !decided) continue;
      if (this.#endings.get(tx.about)?.rewardTx === tx.id) continue;
      renewals.push({ staking: tx.about, time: decided.time as number, tx: tx.id });
      begins(tx.about, decided.time as number, null, null);
    }
    for (const one of this.#read.lists.flat())
      if (one.nextPeriod !== null) begins(one.txId, one.start, one.weight, one.node);
    for (const { staking, start, end, weight, outcome, again, node } of this.#read.cycles) {
      begins(staking, start, weight, node);
      if (outcome === 'renewed') begins(staking, end, weight + again[0] + again[1], node);
    }
    const rows = [...begun].map(([staking, own]): [string, CycleRow[]] => {
      const starts = [...own.keys()].sort((a, b) => a - b);
      const ending = this.#endings.get(staking);
      let weight = 0n;
      return [
        staking,
        starts.map((start, i): CycleRow => {
          const next = starts[i + 1] ?? null;
          const known = own.get(start) ?? null;
          weight = known ?? weight;
          const told = this.#read.cycles.filter((one) => one.staking === staking && one.start === start).at(-1);
          const settled = told?.outcome ? told : undefined;
          const last = next === null && ending && (ending.time as number) > start ? ending : undefined;
          const after = next === null ? null : (own.get(next) ?? null);
          const grown = next === null ? (last ? 0n : null) : after !== null && known !== null ? after - known : null;
          const ended = last && (last.rewarded ? 'exited' : 'aborted');
          const renewal = renewals.find((one) => one.staking === staking && one.time === next);
          return {
            staking,
            node: nodes.get(staking) ?? null,
            start,
            end: next ?? last?.time ?? settled?.end ?? null,
            known,
            weight,
            outcome: next === null ? (ended ?? settled?.outcome ?? null) : 'renewed',
            rewardTx: renewal?.tx ?? last?.rewardTx ?? settled?.rewardTx ?? null,
            earned: settled ? settled.earned[0] + settled.earned[1] : null,
            again: settled ? settled.again[0] + settled.again[1] : grown,
          };
        }),
      ];
    });
    return new Map(rows);
  }

  /** Rows of mart.fct_staking_cycle. */
  stakingCycles(): Row[] {
    return [...this.#cycles().values()].flat().map((one) => ({
      staking_tx_id: one.staking,
      node_id: one.node,
      start_time: moment(one.start),
      ended_at: moment(one.end),
      outcome: one.outcome,
      reward_tx_id: one.rewardTx,
      // Nothing tells any weight so far.
      weight: one.weight > 0n ? String(one.weight) : null,
      weight_avax: one.weight > 0n ? whole(one.weight) : null,
      weight_covered: String(one.known !== null),
      reward_amount: textOf(one.earned),
      reward_amount_avax: whole(one.earned),
      restaked_amount: textOf(one.again),
    }));
  }

  #rewardOf(staking: string): bigint | null {
    const coins = this.#read.rewards.get(staking) ?? [];
    return coins.length > 0 ? sum(coins.map(({ amount }) => amount)) : null;
  }

  #stakings(): StakingRow[] {
    const isAdded = new Set(this.#placed.filter(({ tx }) => tx.staking).map(({ tx }) => tx.id));
    const listed = new Map(this.#read.lists.flat().map((one) => [one.txId, one]));
    return [
      ...this.#placed
        .filter(({ tx }) => tx.staking)
        .map((placed) => this.#staking(placed, placed.tx.staking as Staking)),
      ...[...listed.values()].filter(({ txId }) => !isAdded.has(txId)).map((one) => this.#listed(one)),
    ];
  }

  #staking(placed: Placed, staking: Staking): StakingRow {
    const { tx, container, time, outcome } = placed;
    const isBefore = (container.height as number) < this.#durango;
    const start =
      staking.start !== null && (time === null || (staking.start > time && isBefore)) ? staking.start : time;
    const ending = this.#endings.get(tx.id);
    const isPermissioned = tx.type === 'AddSubnetValidatorTx';
    const removal = isPermissioned ? this.#removal(placed, staking) : undefined;
    const isOver = isPermissioned && staking.end !== null && this.#now !== null && staking.end <= this.#now;
    const isWaiting = outcome === 'pending' || (start !== null && this.#now !== null && start > this.#now);
    const state =
      outcome === 'aborted'
        ? 'rejected'
        : ending
          ? 'ended'
          : removal
            ? 'removed'
            : isOver
              ? 'ended'
              : isWaiting
                ? 'pending'
                : 'active';
    const ends: Readonly<Record<string, number | null | undefined>> = {
      ended: ending ? (ending.time ?? staking.end) : staking.end,
      removed: removal?.time,
      rejected: time,
    };
    const endedAt = ends[state] ?? null;
    const stake = tx.given.filter(({ destination }) => destination === 'stake').map(({ coin }) => coin);
    const reward = this.#rewardOf(tx.id);
    const hasKey =
      tx.type === 'AddAutoRenewedValidatorTx' ||
      (tx.type === 'AddPermissionlessValidatorTx' && staking.subnet === primary);
    const cycles = this.#cycles().get(tx.id);
    const newest = cycles?.at(-1)?.known ?? null;
    const text = {
      tx_id: tx.id,
      tx_type: tx.type,
      role: staking.role,
      node_id: staking.node,
      subnet_id: staking.subnet,
      block_height: textOf(container.height),
      added_at: moment(time),
      start_time: moment(start),
      end_time: moment(staking.end),
      ended_height: textOf(state === 'ended' ? ending?.height : state === 'removed' ? removal?.container.height : null),
      ended_at: moment(endedAt),
      state,
      weight: String(staking.weight),
      cycles: textOf(cycles?.length),
      restaked_amount: textOf(newest === null ? null : newest - staking.weight),
      stake_amount: String(sum(stake.map(({ amount }) => amount))),
      stake_amount_avax:
        stake[0] && this.#isAvax(stake[0].asset) ? whole(sum(stake.map(({ amount }) => amount))) : null,
      delegation_shares: textOf(staking.shares),
      reward_addresses: names(staking.rewardOwner),
      rewarded: textOf(ending?.rewarded),
      reward_tx_id: ending?.rewardTx ?? null,
      reward_amount: textOf(reward),
      reward_amount_avax: whole(reward),
      bls_public_key: hasKey ? `0x${'07'.repeat(48)}` : null,
      source: 'containers',
    };
    return {
      text,
      state,
      role: staking.role,
      node: staking.node,
      subnet: staking.subnet,
      txId: tx.id,
      weight: staking.weight,
      start,
      endedAt,
    };
  }

  /** The first removal after a staking, unless it had ended before. */
  #removal(placed: Placed, { node, subnet, end }: Staking): Placed | undefined {
    const first = this.#placed
      .slice(this.#placed.indexOf(placed) + 1)
      .find(({ tx }) => tx.type === 'RemoveSubnetValidatorTx' && tx.node === node && tx.subnet === subnet);
    return first && (first.time as number) < (end as number) ? first : undefined;
  }

  #listed({ txId, role, node, subnet, start, end, weight, owner }: Listed): StakingRow {
    const ending = this.#endings.get(txId);
    const isListed = this.#read.lists.at(-1)?.some((one) => one.txId === txId);
    const state = ending || !isListed ? 'ended' : 'active';
    const reward = this.#rewardOf(txId);
    const cycles = this.#cycles().get(txId);
    const begin = cycles?.[0]?.start ?? start;
    const text = {
      tx_id: txId,
      tx_type: null,
      role,
      node_id: node,
      subnet_id: subnet,
      block_height: null,
      added_at: null,
      start_time: moment(begin),
      end_time: cycles ? null : moment(end),
      ended_height: textOf(ending?.height),
      ended_at: moment(ending?.time),
      state,
      weight: String(weight),
      cycles: textOf(cycles?.length),
      restaked_amount: null,
      stake_amount: subnet === primary ? String(weight) : null,
      stake_amount_avax: subnet === primary ? whole(weight) : null,
      delegation_shares: null,
      reward_addresses: owner.addresses.length > 0 ? names(owner) : null,
      rewarded: textOf(ending?.rewarded),
      reward_tx_id: ending?.rewardTx ?? null,
      reward_amount: textOf(reward),
      reward_amount_avax: whole(reward),
      bls_public_key: null,
      source: 'snapshot',
    };
    return { text, state, role, node, subnet, txId, weight, start: begin, endedAt: ending?.time ?? null };
  }

  /** Rows of mart.fct_staking. */
  stakings(): Row[] {
    return this.#stakings().map(({ text }) => text);
  }

  #l1Events(): { event: L1Event; placed: Placed }[] {
    return this.#placed.flatMap((placed) => placed.tx.l1.map((event) => ({ event, placed })));
  }

  /** Rows of mart.fct_validator_day. */
  validatorDays(): Row[] {
    const times = this.#blocks.flatMap(({ time }) => time ?? []);
    if (times.length === 0 || this.#now === null) return [];
    const rows: Row[] = [];
    const stakings = this.#stakings();
    const l1 = this.#l1Events();
    const cycles = this.#cycles();
    for (let day = Math.floor(Math.min(...times) / 86_400); day * 86_400 <= this.#now; day++) {
      const last = Math.min((day + 1) * 86_400 - 0.000_001, this.#now);
      const text = (moment(day * 86_400) as string).slice(0, 10);
      const there = stakings.filter(
        ({ state, start, endedAt }) =>
          (state === 'active' || (['ended', 'removed'].includes(state) && endedAt !== null)) &&
          start !== null &&
          start <= last &&
          (endedAt === null || endedAt > last),
      );
      for (const { role, node, subnet, txId, weight: first } of there) {
        if (role !== 'validator') continue;
        const cycle = cycles.get(txId)?.findLast(({ start }) => start <= last);
        const delegators = there.filter(
          (one) => one.role === 'delegator' && one.node === node && one.subnet === subnet,
        );
        const delegated = sum(delegators.map((one) => one.weight));
        const weight = cycle?.weight ?? first;
        const isKnown = !cycle || cycle.known !== null;
        rows.push({
          ...validatorDay(text, subnet, node, 'staking', txId, weight, delegators.length, delegated),
          weight_covered: String(isKnown),
        });
      }
      for (const { event: first } of l1.filter(
        ({ event: { event } }) => event === 'converted' || event === 'registered',
      )) {
        const set = l1
          .filter(
            ({ event, placed }) =>
              event.validation === first.validation && event.weight !== null && (placed.time as number) <= last,
          )
          .at(-1);
        const weight = set?.event.weight ?? 0n;
        if (weight === 0n) continue;
        const own = l1.filter(
          ({ event, placed }) => event.validation === first.validation && (placed.time as number) <= last,
        );
        // Nothing is said of balances that run out.
        const paid = own.reduce(
          (was, { event: { event, balance } }) =>
            event === 'disabled' ? false : event === 'weight_set' ? was : (balance ?? 0n) > 0n,
          false,
        );
        rows.push({
          ...validatorDay(text, first.subnet as string, first.node as string, 'l1', first.validation, weight, 0, 0n),
          is_active: String(paid),
        });
      }
    }
    return rows;
  }

  /** Rows of mart.dim_l1_validator. */
  l1Validators(): Row[] {
    const all = this.#l1Events();
    return all
      .filter(({ event: { event } }) => event === 'converted' || event === 'registered')
      .map(({ event: first, placed: { container, time } }) => {
        const own = all.filter(({ event }) => event.validation === first.validation);
        const of = (name: L1Event['event']) => own.filter(({ event }) => event.event === name);
        const removed = of('weight_set').find(({ event }) => event.weight === 0n);
        const last = own.filter(({ event: { event } }) => event === 'disabled' || event === 'balance_increased').at(-1);
        const balance = sum(own.map(({ event }) => event.balance));
        return {
          validation_id: first.validation,
          subnet_id: first.subnet,
          node_id: first.node,
          origin: first.event,
          registered_height: textOf(container.height),
          registered_at: moment(time),
          weight: textOf(own.filter(({ event }) => event.weight !== null).at(-1)?.event.weight),
          weight_changes: String(of('weight_set').length),
          balance_added: String(balance),
          balance_added_avax: whole(balance),
          disabled_at: moment(of('disabled').at(-1)?.placed.time),
          removed_at: moment(removed?.placed.time),
          state: removed
            ? 'removed'
            : last?.event.event === 'disabled'
              ? 'disabled'
              : balance > 0n
                ? 'active'
                : 'inactive',
          bls_public_key: `0x${'07'.repeat(48)}`,
          remaining_balance_addresses: names(first.owner),
          deactivation_addresses: names(first.owner),
        };
      });
  }

  /** Rows of mart.dim_subnet. */
  subnets(): Row[] {
    const all = this.#placed.flatMap(({ tx, container, time }) =>
      tx.subnetEvent ? [{ ...tx.subnetEvent, subnet: tx.subnetEvent.subnet ?? tx.id, container, time }] : [],
    );
    const chains = this.#placed.filter(({ tx }) => tx.type === 'CreateChainTx');
    const ids = [...new Set(all.map(({ subnet }) => subnet))];
    const rows = ids.map((id): Row => {
      const own = all.filter(({ subnet }) => subnet === id);
      const of = (event: SubnetEvent['event']) => own.find((one) => one.event === event);
      const owner = own.filter(({ owner: to }) => to !== null).at(-1)?.owner ?? null;
      return {
        subnet_id: id,
        kind: of('converted') ? 'l1' : of('transformed') ? 'elastic' : 'permissioned',
        created_height: textOf(of('created')?.container.height),
        created_at: moment(of('created')?.container.time),
        owner_addresses: names(owner),
        owner_threshold: textOf(owner?.threshold),
        converted_at: moment(of('converted')?.container.time),
        manager_chain_id: of('converted')?.manager ?? null,
        manager_address: of('converted') ? `0x${'05'.repeat(20)}` : null,
        asset_id: of('transformed')?.asset ?? null,
        blockchains: String(chains.filter(({ tx }) => tx.subnet === id).length),
      };
    });
    const nothing = {
      created_height: null,
      created_at: null,
      owner_addresses: null,
      owner_threshold: null,
      converted_at: null,
      manager_chain_id: null,
      manager_address: null,
      asset_id: null,
    };
    return [...rows, { ...nothing, subnet_id: primary, kind: 'primary', blockchains: '3' }];
  }

  /** Rows of mart.dim_asset. */
  assets(): Row[] {
    const ids = new Set(
      this.#placed.flatMap(({ tx }) => [
        ...tx.given.map(({ coin }) => cb58(coin.asset)),
        ...tx.credited.map(({ asset }) => cb58(asset)),
      ]),
    );
    return [...ids].map((id) => {
      const created = this.#placed.find(({ tx }) => tx.id === id && tx.assetName !== null);
      const isAvax = id === this.#avax;
      return {
        asset_id: id,
        name: isAvax ? 'Avalanche' : created ? 'Own' : null,
        symbol: isAvax ? 'AVAX' : created ? 'OWN' : null,
        decimals: isAvax ? '9' : created ? '2' : null,
        is_avax: this.#avax === undefined ? null : String(isAvax),
        created_tx_id: created?.tx.id ?? null,
      };
    });
  }

  /** Rows of mart.dim_blockchain. */
  blockchains(): Row[] {
    const own = this.#placed
      .filter(({ tx }) => tx.type === 'CreateChainTx')
      .map(({ tx, container }) => ({
        blockchain_id: tx.id,
        name: 'own',
        alias: null,
        chain_id: null,
        subnet_id: tx.subnet,
        vm_id: cb58(filled(9)),
        created_height: textOf(container.height),
        created_at: moment(container.time),
        genesis_bytes: '2',
      }));
    const nothing = { subnet_id: primary, vm_id: null, created_height: null, created_at: null, genesis_bytes: null };
    return [
      ...own,
      ...aliases.map((alias) => ({
        blockchain_id: cb58(chainIds[alias]),
        name: alias,
        alias,
        chain_id: alias === 'C' ? '43112' : null,
        ...nothing,
      })),
    ];
  }
}

const decisionOf = ({ kind }: Container) =>
  kind.endsWith('CommitBlock') ? 'committed' : kind.endsWith('AbortBlock') ? 'aborted' : null;

/** Blocks of the P-Chain with their times: Apricot's is the last that a committed proposal set, as far as is held. */
function timed(blocks: readonly Container[]): { container: Container; time: number | null }[] {
  const byHeight = new Map(blocks.map((block) => [block.height, block]));
  let clock: number | null = null;
  return blocks.map((container) => {
    const before = byHeight.get((container.height as number) - 1);
    const set = before?.txs.find(({ type }) => type === 'AdvanceTimeTx')?.chainTime;
    if (set && decisionOf(container) === 'committed') clock = Math.max(clock ?? 0, set);
    return { container, time: container.time ?? clock };
  });
}

const inBlocks = (containers: readonly Container[]): Placed[] =>
  containers.flatMap((container) =>
    container.txs.map((tx, position) => ({
      tx,
      container,
      position,
      time: container.time,
      outcome: 'accepted',
      decided: null,
    })),
  );

/** A transaction of the X-Chain may stand in the index of transactions and in several vertices: it counts once. */
function exchange(held: readonly Container[]): Placed[] {
  const order = ['X/tx', 'X/block', 'X/vtx'] as const;
  const found = new Map<string, Placed>();
  for (const index of order)
    for (const placed of inBlocks(held.filter((container) => container.index === index)))
      if (!found.has(placed.tx.id)) found.set(placed.tx.id, placed);
  return [...found.values()];
}

function validatorDay(
  day: string,
  subnet: string,
  node: string,
  kind: string,
  id: string,
  weight: bigint,
  delegators: number,
  delegated: bigint,
): Row {
  return {
    day,
    subnet_id: subnet,
    node_id: node,
    kind,
    tx_id: id,
    weight: String(weight),
    weight_covered: 'true',
    is_active: 'true',
    delegator_count: String(delegators),
    delegator_weight: String(delegated),
    total_weight: String(weight + delegated),
    total_weight_avax: subnet === primary ? whole(weight + delegated) : null,
  };
}
