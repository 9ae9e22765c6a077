import { avax, drawOwner, type Output, transfer } from './coins.ts';
import type { Flaw } from './flaw.ts';
import type { Chain, Coin, Given, Taken, Tx } from './history.ts';
import type { Picks } from './picks.ts';

/** Whether a coin may be spent at a time, Unix seconds. */
export const isFree = ({ owner, stakeable }: Coin, time: number): boolean =>
  owner.locktime <= BigInt(time) && (stakeable ?? 0n) <= BigInt(time);

/** What was exported and is not yet imported. */
interface Shared {
  readonly coin: Coin;
  readonly from: Chain;
}

const fee = 1000n;

/** The coins of all chains. Whoever draws transactions owns all of them. */
export class Wallet {
  readonly coins: Readonly<Record<Chain, Coin[]>> = { P: [], X: [], C: [] };
  shared: Shared[] = [];
  readonly #flaw: Flaw;
  /** Coins that a transaction made, and the last of them that was spent. */
  readonly #made = new Set<string>();
  #spent: Coin | undefined;

  constructor(flaw: Flaw) {
    this.#flaw = flaw;
  }

  #take(chain: Chain, { id }: Coin): void {
    const place = this.coins[chain].findIndex((coin) => coin.id === id);
    if (place >= 0) this.#spent = this.coins[chain].splice(place, 1)[0];
  }

  /** Coins of AVAX that are worth `need` and a fee, and what is left of them; undefined where there are not so many. */
  pay(chain: Chain, need: bigint, time: number, picks: Picks, but: readonly Coin[] = []): Paid | undefined {
    const able = this.coins[chain].filter(
      (coin) => coin.asset === avax && coin.amount !== null && isFree(coin, time) && !but.includes(coin),
    );
    const first = picks.next(able.length || 1);
    const taken: Taken[] = [];
    let worth = 0n;
    for (const coin of [...able.slice(first), ...able.slice(0, first)]) {
      if (worth >= need + fee) break;
      // A lock that has passed may be named or not.
      taken.push({ coin, source: 'input', asLocked: coin.stakeable !== null && picks.next(2) === 1 });
      worth += coin.amount as bigint;
    }
    const last = this.#spent;
    if (last?.holder === chain && last.asset === avax && this.#flaw.breaks('assert_utxos_unique')) {
      taken.push({ coin: last, source: 'input', asLocked: false });
      worth += last.amount as bigint;
    }
    const known = taken.findIndex(({ coin }) => this.#made.has(coin.id));
    const one = taken[known];
    if (one && this.#flaw.breaks('assert_inputs_equal_their_utxos'))
      taken[known] = { ...one, coin: { ...one.coin, amount: (one.coin.amount as bigint) + 1n } };
    if (this.#flaw.breaks('assert_primary_transactions_make_no_avax')) worth += 10n ** 12n;
    const rest = worth - need - fee;
    if (rest < 0n) return undefined;
    const parts = rest > 10n ? 1 + picks.next(3) : 1;
    const change = rest === 0n ? [] : this.#split(chain, rest, parts, time, picks);
    return { taken, change };
  }

  #split(chain: Chain, rest: bigint, parts: number, time: number, picks: Picks): Output[] {
    const part = rest / BigInt(parts);
    return Array.from({ length: parts }, (_, i) => {
      const amount = i === 0 ? rest - part * BigInt(parts - 1) : part;
      // Whoever pays may lock what is left once more.
      const stakeable = chain === 'P' && picks.next(6) === 5 ? BigInt(time + 1 + picks.next(200_000)) : null;
      return transfer(avax, amount, drawOwner(picks, time), stakeable);
    });
  }

  /** What a transaction does to the coins; staked ones come back when the staking ends. */
  accept({ chain, taken, given }: Tx): void {
    for (const { coin, source } of taken) {
      if (source === 'imported') this.shared = this.shared.filter((one) => one.coin !== coin);
      else this.#take(chain, coin);
    }
    for (const { coin, destination } of given) this.#receive(chain, coin, destination);
  }

  #receive(chain: Chain, coin: Coin, destination: Given['destination']): void {
    this.#made.add(coin.id);
    if (destination === 'exported') this.shared.push({ coin, from: chain });
    else if (destination !== 'stake') this.coins[chain].push(coin);
  }
}

export interface Paid {
  readonly taken: readonly Taken[];
  readonly change: readonly Output[];
}
