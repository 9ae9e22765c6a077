import { emptyId, toCb58 } from '../../codec/cb58.ts';
import { sha256 } from '../../codec/hashes.ts';
import type { Ledger } from '../../types.ts';
import { estimateReward } from './estimateReward.ts';
import type { PrimaryHistory } from './primaryHistory.ts';

/** A cycle of a validator that renews itself; its rewards are those of the whole cycle. */
export interface Cycle {
  readonly nodeId: string;
  readonly stakingTxHash: string;
  readonly rewardTxHash: string;
  readonly cycleIndex: number;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly weight: bigint;
  /** Reward for validating, if all goes well. */
  readonly expected: bigint;
  readonly validationReward: Split;
  readonly delegateeReward: Split;
  readonly sharePercent: number;
  readonly outcome: 'renewed' | 'exited' | 'aborted';
  readonly delegatorCount: number;
  readonly amountDelegated: bigint;
}

interface Split {
  readonly gross: bigint;
  readonly withdrawn: bigint;
  readonly compounded: bigint;
}

interface Position {
  /** Place of its node among those of the Primary Network. */
  readonly node: number;
  readonly beginHours: number;
  readonly periodHours: number;
  readonly cycles: number;
  readonly sharePercent: number;
  /** How its last cycle ends; it goes on beyond the recording where it has many. */
  readonly last: 'exited' | 'aborted';
}

/** The second node comes back after it left. */
const positions: readonly Position[] = [
  { node: 0, beginHours: 5, periodHours: 120, cycles: 1000, sharePercent: 50, last: 'exited' },
  { node: 1, beginHours: 30, periodHours: 336, cycles: 3, sharePercent: 0, last: 'exited' },
  { node: 1, beginHours: 1100, periodHours: 336, cycles: 1000, sharePercent: 100, last: 'exited' },
  { node: 2, beginHours: 70, periodHours: 240, cycles: 4, sharePercent: 25, last: 'aborted' },
];
const avax = 1_000_000_000n;
const supply = 360_000_000n * avax;
/** What the validator keeps of its delegators' rewards, percent. */
const fee = 2n;

/**
 * Generated: nobody renews itself in a recording, which is older than that. Nodes of the Primary Network do here, beside the validations that
 * were recorded of them; the same ledger always gives the same, and cycles enough for any moment of it.
 */
export function generatedCycles(ledger: Ledger, history: PrimaryHistory, until: number): Cycle[] {
  const nodes = [
    ...new Set(
      history.stakings.filter((one) => one.role === 'validator' && one.subnetId === emptyId).map((one) => one.nodeId),
    ),
  ].sort();
  // The block after genesis, which is years older than the recording.
  const first = ledger.c.blocks[1]?.timestamp ?? 0;
  return positions.flatMap((position, place) => {
    const nodeId = nodes[position.node];
    const begin = first + position.beginHours * 3600;
    return nodeId === undefined ? [] : cyclesOf(ledger, position, place, nodeId, begin, until);
  });
}

function cyclesOf(ledger: Ledger, position: Position, place: number, nodeId: string, begin: number, until: number) {
  const { periodHours, cycles, sharePercent, last } = position;
  const seconds = periodHours * 3600;
  const made: Cycle[] = [];
  let weight = 2000n * avax + BigInt(place) * 250n * avax;
  for (let index = 1; index <= cycles && begin + (index - 1) * seconds <= until; index++) {
    const outcome = index < cycles ? 'renewed' : last;
    const delegatorCount = index % 3;
    const amountDelegated = BigInt(delegatorCount * 25 * index) * avax;
    const expected = estimateReward(weight, seconds, supply);
    const own = outcome === 'aborted' ? 0n : expected;
    const fees = (estimateReward(amountDelegated, seconds, supply) * fee) / 100n;
    const again = outcome === 'renewed' ? sharePercent : 0;
    const [validationReward, delegateeReward] = [split(own, again), split(fees, again)];
    const start = begin + (index - 1) * seconds;
    made.push({
      nodeId,
      stakingTxHash: hash(ledger, 'add', place),
      rewardTxHash: hash(ledger, 'reward', place, index),
      cycleIndex: index,
      start,
      end: start + seconds,
      weight,
      expected,
      validationReward,
      delegateeReward,
      sharePercent,
      outcome,
      delegatorCount,
      amountDelegated,
    });
    weight += validationReward.compounded + delegateeReward.compounded;
  }
  return made;
}

/** As the P-Chain splits a reward: what is paid out is rounded down. */
function split(gross: bigint, percent: number): Split {
  const withdrawn = (gross * BigInt(100 - percent)) / 100n;
  return { gross, withdrawn, compounded: gross - withdrawn };
}

const hash = (ledger: Ledger, ...of: (string | number)[]) =>
  toCb58(sha256(Buffer.from([ledger.x.blockchainId, 'cycle', ...of].join(' '))));
