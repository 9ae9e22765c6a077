import { Buffer } from 'node:buffer';
import { pBlock } from '../../../src/decode/avalanche/pBlock.ts';
import { pTx } from '../../../src/decode/avalanche/pTransactions.ts';
import { decodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import { encodeNodeId } from '../../../src/decode/bytes/nodeId.ts';
import { encode } from '../../decode/encode.ts';
import {
  avax,
  cb58,
  chainIds,
  coinOf,
  drawOwner,
  filled,
  type Output,
  transfer,
  wireInput,
  wireOutput,
} from './coins.ts';
import type { Flaw } from './flaw.ts';
import {
  type Chain,
  type Coin,
  type Cycle,
  emptyTx,
  type L1Event,
  type Listed,
  type NodeView,
  type Owner,
  type Staking,
  type SubnetEvent,
  type Taken,
  type Tx,
} from './history.ts';
import { l1Message } from './l1Message.ts';
import type { Picks } from './picks.ts';
import { isFree, type Paid, type Wallet } from './wallet.ts';

/** Rules in force: before Banff, before Durango, after it, and where validators renew themselves. */
export type Era = 'apricot' | 'banff' | 'durango' | 'helicon';

/** A block before it has a place: its transactions, and what it decides. */
export interface Sealed {
  readonly kind: string;
  readonly time: number | null;
  readonly txs: readonly Tx[];
  readonly id: Buffer;
  readonly bytes: Buffer;
}

interface Staker {
  readonly tx: Tx;
  readonly kind: 'permissioned' | 'permissionless' | 'renewed';
  readonly staking: Staking;
  readonly owner: Owner;
  readonly feeOwner: Owner;
  readonly stake: readonly Coin[];
  /** Place of the first reward. */
  readonly outputs: number;
  start: number;
  end: number;
  weight: bigint;
  reward: bigint;
  /** Shares of delegators' rewards that wait for the end. */
  fees: bigint;
  /** Of a renewed one: rewards and fees that were staked again. */
  accrued: bigint;
  accruedFees: bigint;
  period: bigint;
  compound: number;
}

interface Subnet {
  readonly id: Buffer;
  kind: 'permissioned' | 'elastic' | 'l1';
  asset: Buffer;
}

interface Validation {
  readonly id: Buffer;
  readonly subnet: Subnet;
  readonly node: string;
  readonly owner: Owner;
  balance: bigint;
  nonce: bigint;
}

const primary = cb58(chainIds.P);
const nodes = [1, 2, 3, 4].map((n) => filled(n, 20));
const keys = { publicKey: filled(7, 48), proofOfPossession: filled(8, 96) };
const authorization = { type: 'Input', signatureIndices: [0] };
const wireOwner = (owner: Owner) => ({ type: 'OutputOwners', ...owner });
const l1Owner = ({ threshold, addresses }: Owner) => ({ threshold, addresses });

type Body = Partial<Omit<Tx, 'id' | 'chain' | 'type' | 'taken' | 'given'>>;
interface Moved extends Paid {
  readonly stake?: readonly Output[];
  readonly exported?: readonly Output[];
  readonly to?: Chain;
}

/** A P-Chain that obeys the protocol's rules as far as what it accepts shows them. */
export class Platform {
  readonly #wallet: Wallet;
  readonly #flaw: Flaw;
  #ended: Staker | undefined;
  #isMore = false;
  /** Whether the block has what only Durango allows: what a start means shows by that. */
  #isDurango = false;
  height = 0;
  time: number;
  #parent: Buffer = filled(0xee);
  supply = 10n ** 15n;
  #stakers: Staker[] = [];
  readonly #subnets: Subnet[] = [];
  readonly #validations: Validation[] = [];
  readonly #rewards = new Map<string, Coin[]>();
  readonly #cycles: Cycle[] = [];
  #removed: { readonly nodeID: Buffer; readonly own: Subnet } | undefined;
  isBegun = false;
  isRenewing = false;

  constructor(wallet: Wallet, time: number, genesis: readonly { readonly end: number }[], flaw: Flaw) {
    this.#wallet = wallet;
    this.#flaw = flaw;
    this.time = time;
    genesis.forEach(({ end }, i) => {
      const owner: Owner = { locktime: 0n, threshold: 1, addresses: [filled(0x10 + i, 20)] };
      const stake = [coinOf(transfer(avax, 10n ** 9n, owner), filled(0xd0 + i), 0, 'P')];
      const node = encodeNodeId(filled(0x40 + i, 20));
      const staking: Staking = {
        role: 'validator',
        node,
        subnet: primary,
        start: time - 9,
        end,
        weight: 10n ** 9n,
        stakeAsset: null,
        shares: 20_000,
        rewardOwner: owner,
      };
      const tx = { id: cb58(filled(0xd0 + i)), given: [] } as unknown as Tx;
      this.#stakers.push({
        tx,
        kind: 'permissionless',
        staking,
        owner,
        feeOwner: owner,
        stake,
        outputs: 1,
        start: time - 9,
        end,
        weight: 10n ** 9n,
        reward: 777n,
        fees: 0n,
        accrued: 0n,
        accruedFees: 0n,
        period: 0n,
        compound: 0,
      });
    });
  }

  /** The next moment at which a staking begins or ends: time does not pass it in one step. */
  nextChange(): number {
    const moments = this.#stakers.map(({ start, end }) => (start > this.time ? start : end));
    return Math.min(Number.POSITIVE_INFINITY, ...moments);
  }

  advance(time: number): void {
    const begun = this.#stakers.filter(({ start }) => start > this.time && start <= time);
    this.time = time;
    for (const { staking, reward } of begun) if (staking.subnet === primary) this.supply += reward;
    this.#stakers = this.#stakers.filter(({ kind, end }) => kind !== 'permissioned' || end > time);
  }

  /** Who has to be rewarded next: delegators before their validators. */
  ending(): Staker | undefined {
    const ended = this.#stakers.filter(({ start, end }) => start <= this.time && end <= this.time);
    return ended.find(({ staking }) => staking.role === 'delegator') ?? ended[0];
  }

  view(): NodeView {
    const ended = this.#ended ? [this.#ended] : [];
    const listed = [...this.#stakers, ...ended]
      .filter(({ start }) => start <= this.time)
      .map(({ tx, kind, staking: { role, node, subnet }, start, end, weight, reward, owner, period }): Listed => {
        const nextPeriod = kind === 'renewed' ? period : null;
        return { txId: tx.id, role, node, subnet, start, end, weight, reward, owner, nextPeriod };
      });
    const running = this.#stakers.filter(({ kind }) => kind === 'renewed').map((one) => this.#cycleOf(one));
    const { P: coins } = this.#wallet.coins;
    this.#isMore ||= this.#flaw.breaks('assert_balances_equal_utxos', coins.length > 0);
    return {
      height: this.height,
      time: this.time,
      supply: this.supply,
      listed,
      cycles: [...this.#cycles, ...running],
      rewards: new Map(this.#rewards),
      coins: coins.map((coin) => (this.#isMore ? { ...coin, amount: (coin.amount as bigint) + 1n } : coin)),
    };
  }

  /** The cycle of one that renews itself, before anything came of it. */
  #cycleOf({ tx, staking: { node }, start, end, weight }: Staker): Cycle {
    const index = 1 + this.#cycles.filter(({ staking }) => staking === tx.id).length;
    const [earned, again] = [[0n, 0n] as const, [0n, 0n] as const];
    return { staking: tx.id, node, index, start, end, weight, outcome: null, rewardTx: null, earned, again };
  }

  /** A block of that kind on top of the last one. */
  seal(kind: string, txs: readonly Built[]): Sealed {
    this.#isDurango = false;
    this.height += this.#flaw.breaks('assert_node_primary_heights_follow', this.height > 0) ? 2 : 1;
    if (this.#flaw.breaks('assert_node_containers_link', this.height > 1)) this.#parent = filled(0xef);
    const wires = txs.map(({ wire }) => wire);
    const isTimed = kind.startsWith('Banff');
    const proposed = kind.endsWith('ProposalBlock') || kind === 'ApricotAtomicBlock';
    const value = {
      type: kind,
      parentID: this.#parent,
      height: BigInt(this.height),
      time: BigInt(this.time),
      txs: proposed ? wires.slice(0, -1) : wires,
      tx: wires.at(-1),
    };
    const bytes = encode(pBlock, value as never, 0);
    const id = sha256(bytes);
    this.#parent = id;
    return { kind, time: isTimed ? this.time : null, txs: txs.map(({ tx }) => tx), id, bytes };
  }

  advanceTime(time: number): Built {
    return this.#build('AdvanceTimeTx', { time: BigInt(time) }, null, { isProposal: true, chainTime: time });
  }

  /** The end of a staking, or of a cycle of one that renews itself. */
  reward({ tx, kind, end }: Staker): Built {
    const body = { about: tx.id, isProposal: true };
    const txID = idOf(tx);
    if (kind !== 'renewed') return this.#build('RewardValidatorTx', { txID }, null, body);
    return this.#build('RewardAutoRenewedValidatorTx', { txID, timestamp: BigInt(end) }, null, {
      ...body,
      chainTime: end,
    });
  }

  /** What the decision about a reward does. */
  decideReward(staker: Staker, reward: Tx, isCommitted: boolean): void {
    const { kind, staking, owner, feeOwner, stake, outputs, tx } = staker;
    const isPrimary = staking.subnet === primary;
    if (!isCommitted && isPrimary) this.supply -= staker.reward;
    const renews = kind === 'renewed' && isCommitted && staker.period > 0n;
    const paid: (readonly [bigint, Owner])[] = [];
    const again = (amount: bigint) => (renews ? (amount * BigInt(staker.compound)) / 1_000_000n : 0n);
    const [own, fees] = [again(staker.reward), again(staker.fees)];
    if (kind === 'renewed')
      this.#cycles.push({
        ...this.#cycleOf(staker),
        outcome: renews ? 'renewed' : isCommitted ? 'exited' : 'aborted',
        rewardTx: reward.id,
        earned: [isCommitted ? staker.reward : 0n, staker.fees],
        again: [own, fees],
      });
    if (renews) {
      paid.push([staker.reward - own, owner], [staker.fees - fees, feeOwner]);
      staker.weight += own + fees;
      staker.accrued += own;
      staker.accruedFees += fees;
      staker.fees = 0n;
      staker.start = staker.end;
      staker.end += Number(staker.period);
      this.supply += staker.reward;
    } else {
      this.#stakers.splice(this.#stakers.indexOf(staker), 1);
      if (this.#flaw.breaks('assert_validators_equal_staking', isPrimary)) this.#ended = staker;
      this.#wallet.coins.P.push(...stake);
      let granted = isCommitted ? staker.reward : 0n;
      if (staking.role === 'delegator') {
        const validator = this.#stakers.find(
          (one) =>
            one.staking.role === 'validator' &&
            one.staking.node === staking.node &&
            one.staking.subnet === staking.subnet,
        );
        const share = (granted * BigInt(validator?.staking.shares ?? 0)) / 1_000_000n;
        granted -= share;
        if (validator) validator.fees += share;
      }
      paid.push([granted + staker.accrued, owner], [staker.fees + staker.accruedFees, feeOwner]);
    }
    const first = paid[0] as (typeof paid)[number];
    const isKnown = staking.role === 'validator' && tx.given.length > 0 && first[0] > 0n;
    if (this.#flaw.breaks('assert_node_rewards_go_to_their_owners', isKnown))
      paid[0] = [first[0], { ...owner, addresses: [filled(0x66, 20)] }];
    const about = kind === 'renewed' ? reward : tx;
    const asset = stake[0]?.asset ?? avax;
    const made = paid
      .filter(([amount]) => amount > 0n)
      .map(([amount, to], i) =>
        coinOf(transfer(asset, amount, to), idOf(about), (kind === 'renewed' ? 0 : outputs) + i, 'P'),
      );
    if (made.length > 0) this.#rewards.set(about.id, made);
    this.#wallet.coins.P.push(...made);
  }

  /** What a transaction does that is accepted, or whose proposal is committed. */
  accept({ tx, effect }: Built): void {
    this.#isDurango ||= durangoTypes.has(tx.type);
    this.#wallet.accept(tx);
    effect?.();
  }

  /** What the abort of a staking does: the fee is paid, and the stake comes back. */
  abort({ tx }: Built): void {
    this.#wallet.accept(tx);
    this.#wallet.coins.P.push(...stakeOf(tx));
  }

  /** A transaction of that kind, where there can be one. */
  draw(action: Action, era: Era, picks: Picks): Built | undefined {
    const isOld = era === 'apricot' || era === 'banff';
    if (isOld && ['base', 'convert', 'validation'].includes(action)) return undefined;
    switch (action) {
      case 'base':
        return this.#plain('BaseTx', {}, {}, picks);
      case 'export':
        return this.#export(picks);
      case 'import':
        return this.#import(picks);
      case 'createSubnet':
        return this.#createSubnet(picks);
      case 'changeSubnet':
        return this.#changeSubnet(era, picks);
      case 'stake':
        return this.#stake(era, picks);
      case 'delegate':
        return this.#delegate(era, picks);
      case 'subnetStake':
        return this.#subnetStake(era, picks);
      case 'remove':
        return this.#remove(picks);
      case 'convert':
        return this.#convert(picks);
      case 'validation':
        return this.#changeValidation(picks);
      case 'renew':
        return era === 'helicon' ? this.#renew(picks) : undefined;
    }
  }

  #pay(need: bigint, picks: Picks, but: readonly Coin[] = []) {
    return this.#wallet.pay('P', need, this.time, picks, but);
  }

  #plain(type: string, fields: object, body: Body, picks: Picks, need = 0n, effect?: (built: Built) => void) {
    const paid = this.#pay(need, picks);
    return paid && this.#build(type, fields, paid, body, effect);
  }

  #build(type: string, fields: object, moved: Moved | null, body: Body, effect?: (built: Built) => void): Built {
    const { taken = [], change = [], stake = [], exported = [], to } = moved ?? {};
    const inputs = (source: Taken['source']) =>
      taken.filter((one) => one.source === source).map(({ coin, asLocked }) => wireInput(coin, asLocked));
    const base = {
      networkID: 12345,
      blockchainID: chainIds.P,
      outputs: change.map(wireOutput),
      inputs: inputs('input'),
      memo: body.memo ? Buffer.from(body.memo.slice(2), 'hex') : Buffer.alloc(0),
    };
    const more = {
      stake: stake.map(wireOutput),
      importedInputs: inputs('imported'),
      exportedOutputs: exported.map(wireOutput),
    };
    const wire = { unsignedTx: { ...base, ...more, ...fields, type }, credentials: [] };
    const id = sha256(encode(pTx, wire as never, 0));
    const made = [
      ...change.map((output) => ({ output, destination: 'output' as const, holder: 'P' as const })),
      ...stake.map((output) => ({ output, destination: 'stake' as const, holder: 'P' as const })),
      ...exported.map((output) => ({ output, destination: 'exported' as const, holder: to ?? 'X' })),
    ];
    const given = made.map(({ output, destination, holder }, i) => ({
      coin: coinOf(output, id, i, holder),
      destination,
    }));
    const tx: Tx = {
      chain: 'P',
      type,
      ...emptyTx,
      ...body,
      taken,
      given,
      id: cb58(id),
    };
    const built: Built = { tx, wire };
    return effect ? { ...built, effect: () => effect(built) } : built;
  }

  #export(picks: Picks): Built | undefined {
    const to = picks.of(['X', 'C'] as const) ?? 'X';
    const amounts = Array.from({ length: 1 + picks.next(2) }, () => BigInt(1 + picks.next(9_000_000)));
    const paid = this.#pay(
      amounts.reduce((a, b) => a + b),
      picks,
    );
    if (!paid) return undefined;
    const exported = amounts.map((amount) => transfer(avax, amount, drawOwner(picks, this.time)));
    const memo = picks.next(4) === 0 ? '0x6869' : null;
    return this.#build('ExportTx', { destinationChain: chainIds[to] }, { ...paid, exported, to }, { to, memo });
  }

  #import(picks: Picks): Built | undefined {
    const from = picks.of(['X', 'C'] as const) ?? 'X';
    const able = this.#wallet.shared.filter(
      ({ coin, from: made }) => coin.holder === 'P' && made === from && isFree(coin, this.time),
    );
    const coins = able.slice(0, 1 + picks.next(2)).map(({ coin }) => coin);
    const paid = coins.length > 0 ? this.#pay(0n, picks) : undefined;
    if (!paid) return undefined;
    const got = coins.map(({ asset, amount }) => transfer(asset, amount as bigint, drawOwner(picks, this.time)));
    const taken: Taken[] = [
      ...paid.taken,
      ...coins.map((coin): Taken => ({ coin, source: 'imported', asLocked: false })),
    ];
    return this.#build(
      'ImportTx',
      { sourceChain: chainIds[from] },
      { taken, change: [...paid.change, ...got] },
      { from },
    );
  }

  #createSubnet(picks: Picks): Built | undefined {
    const owner = drawOwner(picks, this.time);
    const body = { subnetEvent: subnetEvent('created', null, { owner }) };
    return this.#plain('CreateSubnetTx', { owner: wireOwner(owner) }, body, picks, 0n, ({ tx }) => {
      this.#subnets.push({ id: idOf(tx), kind: 'permissioned', asset: avax });
    });
  }

  #changeSubnet(era: Era, picks: Picks): Built | undefined {
    const subnet = picks.of(this.#subnets);
    if (!subnet) return undefined;
    const body = { subnet: cb58(subnet.id) };
    const shared = { subnetID: subnet.id, subnetAuthorization: authorization };
    const how = picks.next(3);
    if (how === 0 && subnet.kind === 'permissioned') {
      const chain = { chainName: Buffer.from('own'), vmID: filled(9), fxIDs: [], genesisData: Buffer.from('{}') };
      return this.#plain('CreateChainTx', { ...shared, ...chain }, body, picks);
    }
    if (how === 1 && (era === 'durango' || era === 'helicon')) {
      const owner = drawOwner(picks, this.time);
      return this.#plain(
        'TransferSubnetOwnershipTx',
        { ...shared, newOwner: wireOwner(owner) },
        { ...body, subnetEvent: subnetEvent('transferred', body.subnet, { owner }) },
        picks,
      );
    }
    const coin = this.#wallet.coins.P.find(({ asset }) => asset !== avax);
    if (era === 'apricot' || subnet.kind !== 'permissioned' || !coin) return undefined;
    const numbers = {
      initialSupply: 9n,
      maximumSupply: 99n,
      minConsumptionRate: 1n,
      maxConsumptionRate: 2n,
      minValidatorStake: 1n,
      maxValidatorStake: 9n,
      minStakeDuration: 1,
      maxStakeDuration: 2,
      minDelegationFee: 1,
      minDelegatorStake: 1n,
      maxValidatorWeightFactor: 1,
      uptimeRequirement: 1,
    };
    return this.#plain(
      'TransformSubnetTx',
      { ...shared, assetID: coin.asset, ...numbers },
      { ...body, subnetEvent: subnetEvent('transformed', body.subnet, { asset: cb58(coin.asset) }) },
      picks,
      0n,
      () => {
        Object.assign(subnet, { kind: 'elastic', asset: coin.asset });
      },
    );
  }

  /** Coins to stake: free ones, or one that may only be staked; of another asset one coin whole. */
  #staked(asset: Buffer, picks: Picks): (Moved & { stake: readonly Output[] }) | undefined {
    if (asset !== avax) {
      const coin = this.#wallet.coins.P.find((one) => one.asset === asset && isFree(one, this.time));
      const paid = coin && this.#pay(0n, picks);
      if (!paid) return undefined;
      const stake = [transfer(asset, coin.amount as bigint, drawOwner(picks, this.time))];
      return { taken: [...paid.taken, { coin, source: 'input', asLocked: false }], change: paid.change, stake };
    }
    const locked = this.#wallet.coins.P.find(
      (one) => one.stakeable !== null && one.stakeable > BigInt(this.time) && one.owner.locktime <= BigInt(this.time),
    );
    if (locked && picks.next(2) === 1) {
      const paid = this.#pay(0n, picks, [locked]);
      if (!paid) return undefined;
      const { amount, owner, stakeable } = locked;
      const half = (amount as bigint) / 2n;
      const parts = half > 0n && picks.next(2) === 1 ? [half, (amount as bigint) - half] : [amount as bigint];
      const [first = 0n, ...rest] = parts;
      const change = [...paid.change, ...rest.map((part) => transfer(avax, part, owner, stakeable))];
      return {
        taken: [...paid.taken, { coin: locked, source: 'input', asLocked: true }],
        change,
        stake: [transfer(avax, first, owner, stakeable)],
      };
    }
    const amount = BigInt(1 + picks.next(9_000_000));
    const paid = this.#pay(amount, picks);
    return paid && { ...paid, stake: [transfer(avax, amount, drawOwner(picks, this.time))] };
  }

  /** When a staking begins and ends; a renewed one and those of other subnets need not fit into those of the Primary Network here. */
  #span(era: Era, picks: Picks, most = Number.POSITIVE_INFINITY) {
    const isBefore = era === 'apricot' || era === 'banff';
    const start = isBefore ? this.time + 1 + picks.next(40_000) : this.time;
    const end = Math.min(start + 1 + picks.next(9) * 10_800 + (picks.next(2) * (86_400 - (start % 86_400)) - 1), most);
    // From Durango on what the transaction says of the start means nothing.
    const said = [0, this.time, ...(this.#isDurango ? [this.time + 60, end - 1] : [])];
    return { start, end: Math.max(end, start + 1), said: isBefore ? start : (picks.of(said) as number) };
  }

  #isStaking(node: string, subnet: string): Staker | undefined {
    return this.#stakers.find(
      ({ staking }) => staking.role === 'validator' && staking.node === node && staking.subnet === subnet,
    );
  }

  #stake(era: Era, picks: Picks): Built | undefined {
    const elastic = this.#subnets.find(({ kind }) => kind === 'elastic');
    const own = elastic && picks.next(2) === 1 ? elastic : undefined;
    const nodeID = picks.of(nodes) as Buffer;
    const [node, subnet] = [encodeNodeId(nodeID), own ? cb58(own.id) : primary];
    if (this.#isStaking(node, subnet)) return undefined;
    const moved = this.#staked(own?.asset ?? avax, picks);
    if (!moved) return undefined;
    const { start, end, said } = this.#span(era, picks);
    const [owner, feeOwner] = [drawOwner(picks, this.time), drawOwner(picks, this.time)];
    const weight = sumOf(moved.stake);
    const shares = 20_000 + picks.next(2) * 480_000;
    const staking: Staking = {
      role: 'validator',
      node,
      subnet,
      start: said,
      end,
      weight,
      stakeAsset: cb58(own?.asset ?? avax),
      shares,
      rewardOwner: owner,
    };
    const validator = { nodeID, start: BigInt(said), end: BigInt(end), weight };
    const reward = BigInt(picks.next(3) * 1_000_003);
    const isOld = !own && (era === 'apricot' || (era === 'banff' && picks.next(2) === 1));
    const body = { staking, node, subnet, isProposal: era === 'apricot' };
    if (isOld)
      return this.#build(
        'AddValidatorTx',
        { validator, rewardsOwner: wireOwner(owner), shares },
        moved,
        body,
        (built) => this.#add(built, 'permissionless', staking, { owner, feeOwner: owner, start, end, reward }),
      );
    const signer = own ? { type: 'EmptySigner' } : { type: 'ProofOfPossession', ...keys };
    const fields = {
      validator,
      subnetID: own?.id ?? chainIds.P,
      signer,
      validationRewardsOwner: wireOwner(owner),
      delegationRewardsOwner: wireOwner(feeOwner),
      shares,
    };
    return this.#build('AddPermissionlessValidatorTx', fields, moved, body, (built) =>
      this.#add(built, 'permissionless', staking, { owner, feeOwner, start, end, reward }),
    );
  }

  #delegate(era: Era, picks: Picks): Built | undefined {
    const able = this.#stakers.filter(
      ({ kind, staking, start, end }) =>
        kind !== 'permissioned' && staking.role === 'validator' && start <= this.time && end > this.time + 1,
    );
    const validator = picks.of(able);
    if (!validator) return undefined;
    const { node, subnet } = validator.staking;
    const own = this.#subnets.find(({ id }) => cb58(id) === subnet);
    const { start, end, said } = this.#span(era, picks, validator.end);
    const moved = start < validator.end ? this.#staked(own?.asset ?? avax, picks) : undefined;
    if (!moved || end > validator.end) return undefined;
    const owner = drawOwner(picks, this.time);
    const weight = sumOf(moved.stake);
    const staking: Staking = {
      role: 'delegator',
      node,
      subnet,
      start: said,
      end,
      weight,
      stakeAsset: cb58(own?.asset ?? avax),
      shares: null,
      rewardOwner: owner,
    };
    const wire = { nodeID: nodeIdOf(node), start: BigInt(said), end: BigInt(end), weight };
    const isOld = !own && (era === 'apricot' || (era === 'banff' && picks.next(2) === 1));
    const body = { staking, node, subnet, isProposal: era === 'apricot' };
    const reward = BigInt(picks.next(3) * 500_009);
    const fields = {
      validator: wire,
      rewardsOwner: wireOwner(owner),
      ...(!isOld && { subnetID: own?.id ?? chainIds.P }),
    };
    if (era === 'apricot' && own) return undefined;
    return this.#build(isOld ? 'AddDelegatorTx' : 'AddPermissionlessDelegatorTx', fields, moved, body, (built) =>
      this.#add(built, 'permissionless', staking, { owner, feeOwner: owner, start, end, reward }),
    );
  }

  #subnetStake(era: Era, picks: Picks): Built | undefined {
    const drawn = { own: picks.of(this.#subnets), nodeID: picks.of(nodes.slice(0, 2)) as Buffer };
    // Who was removed comes back more often than by chance.
    const { own, nodeID } = (picks.next(2) === 1 ? this.#removed : undefined) ?? drawn;
    if (own?.kind !== 'permissioned') return undefined;
    const [node, subnet] = [encodeNodeId(nodeID), cb58(own.id)];
    if (this.#isStaking(node, subnet)) return undefined;
    const { start, end, said } = this.#span(era, picks);
    const staking: Staking = {
      role: 'validator',
      node,
      subnet,
      start: said,
      end,
      weight: 1n,
      stakeAsset: null,
      shares: null,
      rewardOwner: null,
    };
    const validator = { nodeID, start: BigInt(said), end: BigInt(end), weight: 1n, subnetID: own.id };
    const owner: Owner = { locktime: 0n, threshold: 0, addresses: [] };
    return this.#plain(
      'AddSubnetValidatorTx',
      { validator, subnetAuthorization: authorization },
      { staking, node, subnet, isProposal: era === 'apricot' },
      picks,
      0n,
      (built) => this.#add(built, 'permissioned', staking, { owner, feeOwner: owner, start, end, reward: 0n }),
    );
  }

  #remove(picks: Picks): Built | undefined {
    const staker = picks.of(this.#stakers.filter(({ kind }) => kind === 'permissioned'));
    if (!staker) return undefined;
    const { node, subnet } = staker.staking;
    const own = this.#subnets.find(({ id }) => cb58(id) === subnet);
    if (!own) return undefined;
    const nodeID = nodeIdOf(node);
    const fields = { nodeID, subnetID: own.id, subnetAuthorization: authorization };
    return this.#plain('RemoveSubnetValidatorTx', fields, { node, subnet }, picks, 0n, () => {
      this.#stakers.splice(this.#stakers.indexOf(staker), 1);
      this.#removed = { nodeID, own };
    });
  }

  #convert(picks: Picks): Built | undefined {
    const subnet = picks.of(this.#subnets.filter(({ kind }) => kind === 'permissioned'));
    if (!subnet) return undefined;
    const owner: Owner = { locktime: 0n, threshold: 1, addresses: [filled(0x10 + picks.next(4), 20)] };
    const validators = nodes.slice(0, 1 + picks.next(3)).map((nodeID) => ({
      nodeID,
      weight: BigInt(1 + picks.next(50)),
      balance: BigInt(picks.next(3) * 1_000_000),
      signer: keys,
      remainingBalanceOwner: l1Owner(owner),
      deactivationOwner: l1Owner(owner),
    }));
    const made = validators.map(({ nodeID, balance }, i): Validation => {
      const place = Buffer.alloc(4);
      place.writeUInt32BE(i);
      return {
        id: sha256(Buffer.concat([subnet.id, place])),
        subnet,
        node: encodeNodeId(nodeID),
        owner,
        balance,
        nonce: 0n,
      };
    });
    const l1 = made.map(
      ({ id, node, balance }, i): L1Event => ({
        event: 'converted',
        validation: cb58(id),
        subnet: cb58(subnet.id),
        node,
        weight: validators[i]?.weight ?? null,
        balance,
        owner,
      }),
    );
    const need = validators.reduce((sum, { balance }) => sum + balance, 0n);
    const fields = {
      subnetID: subnet.id,
      chainID: chainIds.C,
      address: filled(5, 20),
      validators,
      subnetAuthorization: authorization,
    };
    const body = {
      subnet: cb58(subnet.id),
      l1,
      subnetEvent: subnetEvent('converted', cb58(subnet.id), { manager: cb58(chainIds.C) }),
    };
    return this.#plain('ConvertSubnetToL1Tx', fields, body, picks, need, () => {
      subnet.kind = 'l1';
      this.#validations.push(...made);
    });
  }

  #changeValidation(picks: Picks): Built | undefined {
    const how = picks.next(5);
    const subnet = picks.of(this.#subnets.filter(({ kind }) => kind === 'l1'));
    if (!subnet) return undefined;
    if (how === 0) return this.#register(subnet, picks);
    const validation = picks.of(this.#validations);
    if (!validation) return undefined;
    const body = (event: L1Event['event'], more: Partial<L1Event>) => ({
      l1: [{ ...noL1, event, validation: cb58(validation.id), ...more }],
    });
    const balance = BigInt(1 + picks.next(1_000_000));
    if (how === 1)
      return this.#plain(
        'IncreaseL1ValidatorBalanceTx',
        { validationID: validation.id, balance },
        body('balance_increased', { balance }),
        picks,
        balance,
        () => {
          validation.balance += balance;
        },
      );
    // The fee has melted some of the balance, or all.
    validation.balance = (validation.balance * BigInt(picks.next(4))) / 3n;
    if (how === 2 && validation.balance > 0n)
      return this.#plain(
        'DisableL1ValidatorTx',
        { validationID: validation.id, disableAuthorization: authorization },
        body('disabled', {}),
        picks,
        0n,
        (built) => this.#returnBalance(validation, built),
      );
    const weight = BigInt(picks.next(3) * picks.next(40));
    const message = l1Message(3, (writer) => {
      writer.fixed(validation.id);
      writer.u64(validation.nonce++);
      writer.u64(weight);
    });
    return this.#plain('SetL1ValidatorWeightTx', { message }, body('weight_set', { weight }), picks, 0n, (built) => {
      if (weight > 0n) return;
      this.#returnBalance(validation, built);
      this.#validations.splice(this.#validations.indexOf(validation), 1);
    });
  }

  #register(subnet: Subnet, picks: Picks): Built | undefined {
    const nodeID = picks.of(nodes) as Buffer;
    const node = encodeNodeId(nodeID);
    if (this.#validations.some((one) => one.subnet === subnet && one.node === node)) return undefined;
    const [weight, balance] = [BigInt(1 + picks.next(50)), BigInt(picks.next(3) * 500_000)];
    const owner: Owner = { locktime: 0n, threshold: 1, addresses: [filled(0x10, 20)] };
    let bytes: Buffer = Buffer.alloc(0);
    const message = l1Message(
      1,
      (writer) => {
        writer.fixed(subnet.id);
        writer.prefixed(nodeID);
        writer.fixed(keys.publicKey);
        writer.u64(BigInt(this.time + 3600 + this.height));
        for (const _ of [0, 1]) {
          writer.u32(owner.threshold);
          writer.u32(1);
          writer.fixed(owner.addresses[0] as Buffer);
        }
        writer.u64(weight);
      },
      (own) => {
        bytes = own;
      },
    );
    const id = sha256(bytes);
    if (this.#validations.some((one) => one.id.equals(id))) return undefined;
    const l1: L1Event[] = [
      { event: 'registered', validation: cb58(id), subnet: cb58(subnet.id), node, weight, balance, owner },
    ];
    return this.#plain(
      'RegisterL1ValidatorTx',
      { balance, proofOfPossession: keys.proofOfPossession, message },
      { l1 },
      picks,
      balance,
      () => {
        this.#validations.push({ id, subnet, node, owner, balance, nonce: 0n });
      },
    );
  }

  /** What is left of a balance comes back in a UTXO that no block holds. */
  #returnBalance(validation: Validation, { tx }: Built): void {
    const { balance, owner } = validation;
    validation.balance = 0n;
    if (balance > 0n) this.#wallet.coins.P.push(coinOf(transfer(avax, balance, owner), idOf(tx), tx.given.length, 'P'));
  }

  #renew(picks: Picks): Built | undefined {
    const own = picks.of(this.#stakers.filter(({ kind }) => kind === 'renewed'));
    if (own && picks.next(2) === 1) {
      const period = BigInt((3 - picks.next(4)) * 10_000);
      const compound = (3 - picks.next(4)) * 300_000;
      const fields = { txID: idOf(own.tx), auth: authorization, autoCompoundRewardShares: compound, period };
      return this.#plain('SetAutoRenewedValidatorConfigTx', fields, { about: own.tx.id, period }, picks, 0n, () => {
        Object.assign(own, { period, compound });
      });
    }
    const nodeID = picks.of(nodes) as Buffer;
    const node = encodeNodeId(nodeID);
    const moved = this.#isStaking(node, primary) ? undefined : this.#staked(avax, picks);
    if (!moved) return undefined;
    const [owner, feeOwner] = [drawOwner(picks, this.time), drawOwner(picks, this.time)];
    const period = 600 + picks.next(30_000);
    // Small numbers are drawn most often.
    const [shares, compound] = [20_000, (3 - picks.next(4)) * 300_000];
    const weight = sumOf(moved.stake);
    const staking: Staking = {
      role: 'validator',
      node,
      subnet: primary,
      start: null,
      end: null,
      weight,
      stakeAsset: cb58(avax),
      shares,
      rewardOwner: owner,
    };
    const fields = {
      nodeID,
      signer: { type: 'ProofOfPossession', ...keys },
      validationRewardsOwner: wireOwner(owner),
      delegationRewardsOwner: wireOwner(feeOwner),
      validatorAuthority: wireOwner(owner),
      delegationShares: shares,
      autoCompoundRewardShares: compound,
      period: BigInt(period),
    };
    const [start, reward] = [this.time, BigInt((3 - picks.next(4)) * 700_001)];
    return this.#build(
      'AddAutoRenewedValidatorTx',
      fields,
      moved,
      { staking, node, subnet: primary, period: BigInt(period) },
      (built) =>
        this.#add(built, 'renewed', staking, {
          owner,
          feeOwner,
          start,
          end: start + period,
          reward,
          period: BigInt(period),
          compound,
        }),
    );
  }

  #add(
    { tx }: Built,
    kind: Staker['kind'],
    staking: Staking,
    more: Pick<Staker, 'owner' | 'feeOwner' | 'start' | 'end' | 'reward'> & Partial<Staker>,
  ): void {
    const outputs = tx.given.length;
    const staker: Staker = {
      tx,
      kind,
      staking,
      stake: stakeOf(tx),
      outputs,
      weight: staking.weight,
      fees: 0n,
      accrued: 0n,
      accruedFees: 0n,
      period: 0n,
      compound: 0,
      ...more,
    };
    this.#stakers.push(staker);
    if (staker.start <= this.time && staking.subnet === primary) this.supply += staker.reward;
  }
}

export type Action =
  | 'base'
  | 'export'
  | 'import'
  | 'createSubnet'
  | 'changeSubnet'
  | 'stake'
  | 'delegate'
  | 'subnetStake'
  | 'remove'
  | 'convert'
  | 'validation'
  | 'renew';

/** What may be drawn for a block. */
export const actions = [
  ...['base', 'export', 'import', 'import', 'createSubnet', 'changeSubnet', 'changeSubnet'],
  ...['stake', 'stake', 'delegate', 'delegate', 'subnetStake', 'subnetStake', 'remove', 'remove'],
  ...['convert', 'validation', 'validation', 'validation', 'validation', 'renew', 'renew', 'renew'],
] as readonly Action[];

export interface Built {
  readonly tx: Tx;
  readonly wire: object;
  /** What it does beside moving coins. */
  readonly effect?: () => void;
}

/** Some of what is not allowed before. */
const durangoTypes = new Set(['BaseTx', 'TransferSubnetOwnershipTx', 'ConvertSubnetToL1Tx']);

const noL1 = { subnet: null, node: null, weight: null, balance: null, owner: null };
const subnetEvent = (event: SubnetEvent['event'], subnet: string | null, more: Partial<SubnetEvent>): SubnetEvent => ({
  owner: null,
  asset: null,
  manager: null,
  ...more,
  event,
  subnet,
});
const sumOf = (outputs: readonly Output[]) => outputs.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
const idOf = ({ id }: Tx) => decodeCb58(id);
const nodeIdOf = (node: string) => decodeCb58(node.slice('NodeID-'.length));
const stakeOf = ({ given }: Tx) => given.filter(({ destination }) => destination === 'stake').map(({ coin }) => coin);
