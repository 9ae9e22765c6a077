import type { SnapshotFacts } from './snapshotFacts.ts';

/** Genesis supply of the networks this program knows, before the rewards of genesis validators. */
const genesisSupply = 360_000_000_000_000_000n;

/** The total supply as the P-Chain counts it: a reward belongs to it from the moment its staking begins until it is refused. */
export interface Supply {
  /** At a moment in milliseconds, never before the last one asked for. */
  at(moment: number): bigint;
  add(reward: bigint, moment: number): void;
}

/** Follows the supply from one recorded answer to the next. */
export function trackSupply(facts: SnapshotFacts, ofGenesis: readonly bigint[]): Supply {
  let supply = ofGenesis.reduce((sum, reward) => sum + reward, genesisSupply);
  let seen = 0;
  const at = (moment: number): bigint => {
    for (let next = facts.supplies[seen]; next !== undefined && next[0] <= moment; next = facts.supplies[seen]) {
      supply = next[1];
      seen++;
    }
    return supply;
  };
  return {
    at,
    add(reward, moment) {
      supply = at(moment) + reward;
    },
  };
}
