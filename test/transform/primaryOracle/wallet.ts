import { avax, type Output, transfer, drawOwner } from './coins.ts';
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

  take(chain: Chain, coin: Coin): void {
    this.coins[chain].splice(this.coins[chain].indexOf(coin), 1);
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
    const rest = worth - need - fee;
    if (rest < 0n) return undefined;
    const parts = rest > 10n ? 1 + picks.next(3) : 1;
    const change = rest === 0n ? [] : this.#split(rest, parts, time, picks);
    return { taken, change };
  }

  #split(rest: bigint, parts: number, time: number, picks: Picks): Output[] {
    const part = rest / BigInt(parts);
    return Array.from({ length: parts }, (_, i) => {
      const amount = i === 0 ? rest - part * BigInt(parts - 1) : part;
      return transfer(avax, amount, drawOwner(picks, time), null);
    });
  }

  /** What a transaction does to the coins; staked ones come back when the staking ends. */
  accept({ chain, taken, given }: Tx): void {
    for (const { coin, source } of taken) {
      if (source === 'imported') this.shared = this.shared.filter((one) => one.coin !== coin);
      else this.take(chain, coin);
    }
    for (const { coin, destination } of given) this.#receive(chain, coin, destination);
  }

  #receive(chain: Chain, coin: Coin, destination: Given['destination']): void {
    if (destination === 'exported') this.shared.push({ coin, from: chain });
    else if (destination !== 'stake') this.coins[chain].push(coin);
  }
}

export interface Paid {
  readonly taken: readonly Taken[];
  readonly change: readonly Output[];
}
