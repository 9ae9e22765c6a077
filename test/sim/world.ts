import { createHash } from 'node:crypto';
import { toBech32 } from '../../src/decode/bytes/address.ts';
import type { Random } from './random.ts';

export interface Transaction {
  readonly hash: string;
  readonly block: Block;
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly nonce: number;
  /** Place of its first log in the block. */
  readonly firstLog: number;
  /** Token ids that it moves, one a log. */
  readonly tokens: readonly number[];
  /** Values of its internal calls; two may be alike. */
  readonly calls: readonly number[];
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly time: number;
  readonly transactions: readonly Transaction[];
}

/** What a node accepted into one of its indexes. */
export interface Container {
  readonly index: number;
  readonly id: string;
  /** Hex with a checksum. */
  readonly bytes: string;
  readonly timestamp: string;
}

/** A transaction of the P-Chain. */
export interface Transfer {
  readonly hash: string;
  /** Unix seconds; they never fall. */
  readonly time: number;
  readonly height: number;
  readonly value: number;
  readonly emitted: readonly Utxo[];
  readonly consumed: readonly Utxo[];
}

export interface Utxo {
  readonly id: string;
  readonly owner: string;
  readonly amount: number;
  readonly createdBy: string;
}

export interface Validator {
  readonly txHash: string;
  readonly nodeId: string;
  amountStaked: bigint;
  delegators: number;
  uptime: string;
}

export const chainId = '43113';
const hourMs = 3_600_000;

/** What there is and was: a chain, and validators. It does not know how it is asked. */
export class World {
  readonly blocks: Block[] = [];
  readonly containers: Container[] = [];
  readonly transfers: Transfer[] = [];
  /** What nobody has spent. */
  utxos: Utxo[] = [];
  validators: Validator[] = [];
  readonly accounts: readonly string[];
  /** Addresses of the P-Chain. */
  readonly owners: readonly string[];
  readonly #random: Random;
  #joined = 0;

  constructor(random: Random, now: number) {
    this.#random = random;
    this.accounts = Array.from({ length: 5 }, (_, i) => `0x${digest(`account ${i}`).slice(0, 40)}`);
    this.owners = this.accounts.map((_, i) => toBech32(Buffer.from(digest(`owner ${i}`), 'hex').subarray(12), 'fuji'));
    this.grow(now - hourMs, random.between(1, 6));
    for (let i = 0; i < 6; i++) this.#join();
  }

  get head(): number {
    return this.blocks.length - 1;
  }

  get transactions(): readonly Transaction[] {
    return this.blocks.flatMap(({ transactions }) => transactions);
  }

  /** What has come by this time, or is dated into the hours before it. */
  grow(now: number, blocks: number, isLate = false): void {
    const late = isLate ? this.#random.between(1, 24 * 3600) : 0;
    for (let i = 0; i < blocks; i++) {
      this.blocks.push(this.#block(Math.floor(now / 1000) - late, ''));
      for (let left = this.#random.pick([0, 0, 1, 2]); left > 0; left--) this.#transfer(Math.floor(now / 1000));
      if (this.#random.chance(0.7)) this.containers.push(containerAt(this.containers.length, '', now));
    }
  }

  /** What another node would have from a height on, which nobody ever settles. */
  fork(from: number, length: number, now: number): Block[] {
    const fork = this.blocks.slice(0, from);
    while (fork.length < from + length) fork.push(this.#block(Math.floor(now / 1000), 'fork', fork));
    return fork;
  }

  /** What an index would hold that was made anew, in which other containers stand from some index on. */
  forkIndex(from: number, length: number, now: number): Container[] {
    const fork = this.containers.slice(0, from);
    while (fork.length < from + length) fork.push(containerAt(fork.length, 'fork', now));
    return fork;
  }

  changeValidators(): void {
    if (this.#random.chance(0.5)) this.#join();
    if (this.#random.chance(0.3) && this.validators.length > 3)
      this.validators = this.validators.toSpliced(this.#random.between(0, this.validators.length - 1), 1);
    for (const validator of this.validators) {
      if (this.#random.chance(0.2)) validator.delegators++;
      if (this.#random.chance(0.3)) validator.uptime = `${this.#random.between(80, 99)}.5`;
    }
  }

  /** Transactions in buckets of so many seconds: what the metrics service counts. */
  countBy(seconds: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { time, transactions } of this.blocks) {
      const bucket = Math.floor(time / seconds) * seconds;
      counts.set(bucket, (counts.get(bucket) ?? 0) + transactions.length);
    }
    return counts;
  }

  #join(): void {
    const txHash = digest(`validator ${this.#joined++}`);
    this.validators.push({
      txHash,
      nodeId: `NodeID-${txHash.slice(0, 12)}`,
      amountStaked: 2000n,
      delegators: 0,
      uptime: '99.9',
    });
  }

  #transfer(time: number): void {
    const random = this.#random;
    const height = this.transfers.length;
    const hash = `0x${digest(`transfer ${height}`)}`;
    const consumed = random.shuffle(this.utxos).slice(0, random.between(0, 2));
    const emitted = Array.from({ length: random.between(1, 3) }, (_, i) => ({
      id: digest(`utxo ${height} ${i}`),
      owner: random.pick(this.owners),
      amount: random.between(1, 1e9),
      createdBy: hash,
    }));
    this.utxos = [...this.utxos.filter((utxo) => !consumed.includes(utxo)), ...emitted];
    this.transfers.push({ hash, time, height, value: random.between(1, 1e9), emitted, consumed });
  }

  #block(time: number, name: string, before: readonly Block[] = this.blocks): Block {
    const number = before.length;
    const hashOf = (what: string) => `0x${digest(`${what} ${number} ${name}`)}`;
    const block = { number, hash: hashOf('block'), parentHash: before.at(-1)?.hash ?? `0x${'0'.repeat(64)}`, time };
    const transactions: Transaction[] = [];
    const whole: Block = { ...block, transactions };
    // Genesis has none.
    const count = number === 0 ? 0 : this.#random.between(0, 3);
    let firstLog = 0;
    for (let index = 0; index < count; index++) {
      const tokens = Array.from({ length: this.#random.pick([0, 0, 1, 2]) }, () => this.#random.between(1, 99));
      const [from = '', to = ''] = this.#random.shuffle(this.accounts);
      transactions.push({
        hash: hashOf(`transaction ${index}`),
        block: whole,
        index,
        from,
        to,
        value: BigInt(this.#random.between(0, 1e9)) * 10n ** 18n,
        nonce: number * 4 + index,
        firstLog,
        tokens,
        calls: Array.from({ length: this.#random.pick([0, 0, 1, 3]) }, () => this.#random.between(1, 2)),
      });
      firstLog += tokens.length;
    }
    return whole;
  }
}

function containerAt(index: number, name: string, now: number): Container {
  const bytes = digest(`container ${index} ${name}`);
  const checksum = createHash('sha256').update(Buffer.from(bytes, 'hex')).digest('hex').slice(-8);
  return { index, id: `id${bytes}`, bytes: `0x${bytes}${checksum}`, timestamp: new Date(now).toISOString() };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
