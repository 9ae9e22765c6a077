import type { Buffer } from 'node:buffer';
import { type AtomicTx, atomicUnsignedTx } from '../../../src/decode/avalanche/extraData.ts';
import { signedTx } from '../../../src/decode/avalanche/signedTx.ts';
import { credential } from '../../../src/decode/avalanche/transferables.ts';
import { keccak256, sha256 } from '../../../src/decode/bytes/hashes.ts';
import { type EvmHeader, encodeEvmHeader } from '../../../src/decode/evm/evmHeader.ts';
import { encode } from '../../decode/encode.ts';
import { encodeEvmBlock, encodeExtraData } from '../../decode/encoders.ts';
import { headersOf } from '../oracle/answers.ts';
import { plainWorld } from '../oracle/world.ts';
import { avax, cb58, chainIds, coinOf, drawOwner, filled, transfer, wireInput, wireOutput } from './coins.ts';
import { emptyTx, type Taken, type Tx } from './history.ts';
import type { Picks } from './picks.ts';
import { isFree, type Wallet } from './wallet.ts';

interface Built {
  readonly tx: Tx;
  readonly wire: object;
}

const atomicTx = signedTx(atomicUnsignedTx, credential);
const plain = headersOf(plainWorld(1))[0] as EvmHeader;

/** A C-Chain of which only imports and exports are drawn. */
export class Contract {
  readonly #wallet: Wallet;
  time: number;
  height = 0;
  #parent = `0x${'00'.repeat(32)}`;

  constructor(wallet: Wallet, time: number) {
    this.#wallet = wallet;
    this.time = time;
  }

  seal(txs: readonly Built[]): { readonly id: Buffer; readonly bytes: Buffer } {
    this.height += 1;
    const header: EvmHeader = {
      ...plain,
      parentHash: this.#parent,
      number: BigInt(this.height),
      timestamp: BigInt(this.time),
    };
    const id = keccak256(encodeEvmHeader(header));
    this.#parent = `0x${id.toString('hex')}`;
    const form = txs.length === 0 ? 'empty' : 'batch';
    const extraData = encodeExtraData({ form, txs: txs.map(({ wire }) => wire as AtomicTx) });
    return {
      id,
      bytes: encodeEvmBlock({
        header,
        transactions: [],
        uncles: [],
        version: 0n,
        extraData: txs.length === 0 ? encodeExtraData({ form, txs: [] }) : extraData,
      }),
    };
  }

  draw(picks: Picks): Built | undefined {
    const other = picks.of(['P', 'X'] as const) ?? 'P';
    if (picks.next(2) === 0) {
      const amounts = Array.from({ length: 1 + picks.next(2) }, () => BigInt(1 + picks.next(9_000_000)));
      const exported = amounts.map((amount) => transfer(avax, amount, drawOwner(picks, this.time)));
      const debited = [{ amount: amounts.reduce((a, b) => a + b) + 1000n, asset: avax }];
      const inputs = debited.map((one) => ({
        address: filled(0x77, 20),
        amount: one.amount,
        assetID: one.asset,
        nonce: BigInt(this.height),
      }));
      const fields = {
        type: 'ExportTx',
        destinationChain: chainIds[other],
        inputs,
        exportedOutputs: exported.map(wireOutput),
      };
      return this.#build(fields, (id) => ({
        to: other,
        debited,
        given: exported.map((output, i) => ({ coin: coinOf(output, id, i, other), destination: 'exported' })),
      }));
    }
    const able = this.#wallet.shared.filter(
      ({ coin, from }) => coin.holder === 'C' && from === other && isFree(coin, this.time),
    );
    const coins = able.slice(0, 1 + picks.next(2)).map(({ coin }) => coin);
    if (coins.length === 0) return undefined;
    const taken = coins.map((coin): Taken => ({ coin, source: 'imported', asLocked: false }));
    const credited = coins.map(({ asset, amount }) => ({
      asset,
      amount: asset === avax ? ((amount as bigint) * 9n) / 10n : (amount as bigint),
    }));
    const outputs = credited.map(({ amount, asset }) => ({ address: filled(0x78, 20), amount, assetID: asset }));
    const fields = {
      type: 'ImportTx',
      sourceChain: chainIds[other],
      importedInputs: coins.map((coin) => wireInput(coin, false)),
      outputs,
    };
    return this.#build(fields, () => ({ from: other, taken, credited }));
  }

  #build(fields: { readonly type: string }, body: (id: Buffer) => Partial<Tx>): Built {
    const wire = { unsignedTx: { networkID: 12345, blockchainID: chainIds.C, ...fields }, credentials: [] };
    const id = sha256(encode(atomicTx, wire as never, 0));
    return { tx: { ...emptyTx, ...body(id), id: cb58(id), chain: 'C', type: fields.type }, wire };
  }
}
