import type { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { decodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { avax, cb58, coinOf, filled, transfer } from './coins.ts';
import { Contract } from './contract.ts';
import { bytesOf, Exchange, exchangeActions } from './exchange.ts';
import { Flaw, type FlawKind } from './flaw.ts';
import type { Container, Index, Tx } from './history.ts';
import { Picks } from './picks.ts';
import { type Action, actions, type Built, type Era, Platform, type Sealed } from './platform.ts';
import { Wallet } from './wallet.ts';

interface Drawn {
  readonly chain: 'P' | 'X' | 'C';
  readonly gap: number;
  readonly picks: readonly number[];
}

/** Up to which of its drawn blocks the P-Chain has the rules of an era, and the X-Chain is a graph. */
interface Forks {
  readonly banff: number;
  readonly durango: number;
  readonly helicon: number;
  readonly linear: number;
}

const day = 86_400;

/** Seconds to the next block: some, none, or so many that a day begins with it or ends just before. */
const gap = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 0, 1) },
  { weight: 3, arbitrary: fc.integer({ min: 60, max: 30_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, -2, -3) },
);

const drawnBlock: fc.Arbitrary<Drawn> = fc.record({
  chain: fc.constantFrom('P', 'P', 'P', 'P', 'X', 'X', 'C'),
  gap,
  picks: fc.array(fc.nat(100_000), { minLength: 100, maxLength: 100 }),
});

/** Histories of the Primary Network in the order in which it lived them; `undefined` where a rule was to be broken and was not. */
export const drawnHistory = (kind: FlawKind | null = null): fc.Arbitrary<readonly Container[]> =>
  fc
    .record({
      blocks: fc.array(drawnBlock, { minLength: 5, maxLength: 30 }),
      forks: fc
        .record({
          banff: fc.constantFrom(0, 0, 0, 4, 9),
          durango: fc.nat(4),
          helicon: fc.constantFrom(0, 0, 0, 0, 5, 99),
          linear: fc.constantFrom(0, 2, 9),
        })
        .map(
          ({ banff, durango, helicon, linear }): Forks => ({
            banff,
            durango: banff + durango,
            helicon: banff + durango + helicon,
            linear,
          }),
        ),
    })
    .map(({ blocks, forks }) => play(blocks, forks, new Flaw(kind)));

function play(blocks: readonly Drawn[], forks: Forks, flaw: Flaw): readonly Container[] {
  const begin = Date.parse('2026-01-28T20:00:00Z') / 1000;
  const wallet = new Wallet(flaw);
  const platform = new Platform(wallet, begin, [{ end: begin + 40_000 }, { end: begin + 10 * day }], flaw);
  const exchange = new Exchange(wallet, begin);
  const contract = new Contract(wallet, begin);
  giveGenesis(wallet, begin);
  const containers: Container[] = [];
  const places = new Map<Index, number>();
  const put = (
    index: Index,
    one: { readonly id: Buffer; readonly bytes: Buffer },
    more: Pick<Container, 'height' | 'kind' | 'time' | 'txs'>,
  ) => {
    const place = places.get(index) ?? 0;
    places.set(index, place + 1);
    containers.push({ index, place, id: cb58(one.id), bytes: one.bytes, node: platform.view(), ...more });
  };
  const drawn = { P: 0, X: 0, C: 0 };
  let now = begin;
  for (const { chain, gap: seconds, picks: numbers } of blocks) {
    const picks = new Picks(numbers);
    now = seconds >= 0 ? now + seconds : now - (now % day) + day + seconds + 2;
    const turn = drawn[chain]++;
    if (chain === 'P') {
      const era =
        turn < forks.banff ? 'apricot' : turn < forks.durango ? 'banff' : turn < forks.helicon ? 'durango' : 'helicon';
      for (const block of platformBlocks(platform, era, now, picks)) {
        const height = (places.get('P/block') ?? 0) + 1;
        put('P/block', block, { height, kind: block.kind, time: block.time, txs: block.txs });
      }
    } else if (chain === 'X') {
      exchange.time = Math.max(exchange.time, now);
      const built = several(picks, 2, () => {
        const one = exchange.draw(exchangeActions[picks.next(exchangeActions.length)] as never, picks);
        if (one) wallet.accept(one.tx);
        return one;
      });
      const txs = built.map(({ tx }) => tx);
      if (turn >= forks.linear) {
        put('X/block', exchange.sealBlock(built), {
          height: exchange.height,
          kind: 'StandardBlock',
          time: exchange.time,
          txs,
        });
        continue;
      }
      // A transaction may stand in several vertices.
      for (let i = 0; i <= picks.next(2); i++)
        put('X/vtx', exchange.sealVertex(built, turn * 2 + i), { height: null, kind: 'vertex', time: null, txs });
      built.forEach((one, i) => {
        const tx = txs[i] as Tx;
        put(
          'X/tx',
          { id: decodeCb58(tx.id), bytes: bytesOf(one) },
          { height: null, kind: 'tx', time: null, txs: [tx] },
        );
      });
    } else {
      contract.time = Math.max(contract.time, now);
      const built = several(picks, 3, () => {
        const one = contract.draw(picks);
        if (one) wallet.accept(one.tx);
        return one;
      });
      put('C/block', contract.seal(built), {
        height: contract.height,
        kind: 'block',
        time: contract.time,
        txs: built.map(({ tx }) => tx),
      });
    }
  }
  const last = containers.at(-1);
  if (last && flaw.breaks('assert_supply_grows_by_rewards'))
    containers[containers.length - 1] = { ...last, node: { ...last.node, supply: last.node.supply + 1n } };
  const missing = containers.filter(({ index }) => index === 'P/block')[2];
  if (missing && flaw.breaks('assert_container_indexes_without_gap')) containers.splice(containers.indexOf(missing), 1);
  return flaw.isKept ? containers : [];
}

/** Coins that no container makes; some of the P-Chain may only be staked for a while, some are of another asset. */
function giveGenesis(wallet: Wallet, begin: number): void {
  const owner = { locktime: 0n, threshold: 1, addresses: [filled(0x10, 20)] };
  const other = filled(0xa1);
  for (const chain of ['P', 'X'] as const) {
    for (let i = 0; i < 6; i++) {
      const stakeable = chain === 'P' && i > 3 ? BigInt(begin + (i - 3) * 50_000) : null;
      wallet.coins[chain].push(
        coinOf(transfer(avax, 10n ** 9n + BigInt(i), owner, stakeable), filled(0xc0 + i), chain === 'P' ? 0 : 1, chain),
      );
    }
  }
  for (const index of [3, 4]) wallet.coins.P.push(coinOf(transfer(other, 9000n, owner), filled(0xc0), index, 'P'));
}

function several<T>(picks: Picks, most: number, draw: (i: number) => T | undefined): T[] {
  return Array.from({ length: picks.next(most + 1) }, (_, i) => draw(i)).filter((one) => one !== undefined);
}

/** What the P-Chain makes of a turn: a block, or a proposal with what became of it. */
function platformBlocks(platform: Platform, era: Era, now: number, picks: Picks): Sealed[] {
  const time = Math.max(platform.time, Math.min(now, platform.nextChange()));
  const isApricot = era === 'apricot';
  const decide = (isCommitted: boolean) => {
    const name = isCommitted ? 'CommitBlock' : 'AbortBlock';
    return platform.seal(`${isApricot ? 'Apricot' : 'Banff'}${name}`, []);
  };
  const isCommitted = picks.next(3) > 0;
  if (isApricot && time > platform.time) {
    const proposal = platform.seal('ApricotProposalBlock', [platform.advanceTime(time)]);
    if (isCommitted) platform.advance(time);
    return [proposal, decide(isCommitted)];
  }
  platform.advance(time);
  const ending = platform.ending();
  if (ending && picks.next(4) > 0) {
    const decisions = era === 'durango' || era === 'helicon' ? drawTxs(platform, era, picks, 1) : [];
    const reward = platform.reward(ending);
    const proposal = platform.seal(`${isApricot ? 'Apricot' : 'Banff'}ProposalBlock`, [...decisions, reward]);
    platform.decideReward(ending, reward.tx, isCommitted);
    return [proposal, decide(isCommitted)];
  }
  if (!isApricot) return [platform.seal('BanffStandardBlock', drawTxs(platform, era, picks, 5))];
  const built = drawTx(platform, era, picks);
  if (!built) return [platform.seal('ApricotStandardBlock', [])];
  if (!built.tx.isProposal) {
    platform.accept(built);
    const isAtomic = built.tx.from !== null || built.tx.to !== null;
    return [platform.seal(isAtomic ? 'ApricotAtomicBlock' : 'ApricotStandardBlock', [built])];
  }
  const proposal = platform.seal('ApricotProposalBlock', [built]);
  if (isCommitted) platform.accept(built);
  else platform.abort(built);
  return [proposal, decide(isCommitted)];
}

/** A transaction of one of three kinds, whichever there can be. */
function drawTx(platform: Platform, era: Era, picks: Picks): Built | undefined {
  for (let i = 0; i < 3; i++) {
    const built = platform.draw(actions[picks.next(actions.length)] ?? 'base', era, picks);
    if (built) return built;
  }
  return undefined;
}

/** What the first blocks do, so that later ones find something; and those of which validators renew themselves. */
const first: readonly Action[] = ['createSubnet', 'createSubnet', 'convert', 'subnetStake', 'stake'];
const firstOfHelicon: readonly Action[] = ['renew', 'renew', 'delegate'];

/** Transactions of one block, each on top of the ones before. */
function drawTxs(platform: Platform, era: Era, picks: Picks, most: number): Built[] {
  const removed = new Set<string>();
  const begin = [
    ...(platform.isBegun ? [] : first),
    ...(platform.isRenewing || era !== 'helicon' ? [] : firstOfHelicon),
  ];
  platform.isBegun ||= era !== 'banff';
  return several(picks, most + begin.length, (i) => {
    const built = begin[i] ? platform.draw(begin[i], era, picks) : drawTx(platform, era, picks);
    if (!built) return undefined;
    platform.isRenewing ||= built.tx.type === 'AddAutoRenewedValidatorTx';
    const { type, node, subnet } = built.tx;
    const who = `${node} ${subnet}`;
    // Before Helicon a block adds nobody whom it removes.
    if (type === 'AddSubnetValidatorTx' && removed.has(who) && era !== 'helicon') return undefined;
    if (type === 'RemoveSubnetValidatorTx') removed.add(who);
    platform.accept(built);
    return built;
  });
}
