import { Buffer } from 'node:buffer';
import { xBlock } from '../../../src/decode/avalanche/xBlock.ts';
import { xTx } from '../../../src/decode/avalanche/xTransactions.ts';
import { sha256 } from '../../../src/decode/bytes/hashes.ts';
import { encode } from '../../decode/encode.ts';
import { encodeXVertex } from '../../decode/encoders.ts';
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
  wireState,
} from './coins.ts';
import { type Coin, emptyTx, type Given, type Owner, type Taken, type Tx } from './history.ts';
import type { Picks } from './picks.ts';
import { isFree, type Wallet } from './wallet.ts';

interface Built {
  readonly tx: Tx;
  readonly wire: object;
}

export const exchangeActions = ['base', 'base', 'export', 'import', 'createAsset', 'operate', 'operate'] as const;
export type ExchangeAction = (typeof exchangeActions)[number];

type Made = readonly { readonly output: Output; readonly destination: Given['destination'] }[];
const mintable = ['MintOutput', 'NftMintOutput', 'PropertyMintOutput', 'NftTransferOutput', 'PropertyOwnedOutput'];
const members = ({ locktime, threshold, addresses }: Owner) => ({ locktime, threshold, addresses });

/** An X-Chain: vertices at first, blocks later. */
export class Exchange {
  readonly #wallet: Wallet;
  time: number;
  #parent: Buffer = filled(0xdd);
  height = 0;

  constructor(wallet: Wallet, time: number) {
    this.#wallet = wallet;
    this.time = time;
  }

  sealBlock(txs: readonly Built[]): { readonly id: Buffer; readonly bytes: Buffer } {
    this.height += 1;
    const value = {
      type: 'StandardBlock',
      parentID: this.#parent,
      height: BigInt(this.height),
      time: BigInt(this.time),
      merkleRoot: filled(0),
      txs: txs.map(({ wire }) => wire),
    };
    const bytes = encode(xBlock, value as never, 0);
    this.#parent = sha256(bytes);
    return { id: this.#parent, bytes };
  }

  sealVertex(txs: readonly Built[], height: number): { readonly id: Buffer; readonly bytes: Buffer } {
    const bytes = encodeXVertex({
      chainID: chainIds.X,
      height: BigInt(height),
      epoch: 0,
      parentIDs: [filled(height)],
      txs: txs.map(bytesOf),
    });
    return { id: sha256(bytes), bytes };
  }

  draw(action: ExchangeAction, picks: Picks): Built | undefined {
    const owner = () => drawOwner(picks, this.time);
    switch (action) {
      case 'base':
        return this.#base(picks);
      case 'export': {
        const to = picks.of(['P', 'C'] as const) ?? 'P';
        const other = this.#wallet.coins.X.find(
          (coin) => coin.asset !== avax && coin.type === 'TransferOutput' && isFree(coin, this.time),
        );
        const isOther = other !== undefined && picks.next(2) === 1;
        const amount = BigInt(1 + picks.next(9_000_000));
        const exported = isOther
          ? transfer(other.asset, other.amount as bigint, owner())
          : transfer(avax, amount, owner());
        const taken: Taken[] = isOther ? [{ coin: other, source: 'input', asLocked: false }] : [];
        const made: Made = [{ output: exported, destination: 'exported' }];
        return this.#build(
          'ExportTx',
          { destinationChain: chainIds[to], exportedOutputs: [wireOutput(exported)] },
          { need: isOther ? 0n : amount, taken, made, to },
          picks,
        );
      }
      case 'import': {
        const from = picks.of(['P', 'C'] as const) ?? 'P';
        const able = this.#wallet.shared.filter(
          ({ coin, from: made }) => coin.holder === 'X' && made === from && isFree(coin, this.time),
        );
        const coins = able.slice(0, 1 + picks.next(2)).map(({ coin }) => coin);
        if (coins.length === 0) return undefined;
        const taken = coins.map((coin): Taken => ({ coin, source: 'imported', asLocked: false }));
        const change = coins.map(({ asset, amount }) => transfer(asset, amount as bigint, owner()));
        return this.#build(
          'ImportTx',
          { sourceChain: chainIds[from], importedInputs: coins.map((coin) => wireInput(coin, false)) },
          { taken, change, from },
          picks,
        );
      }
      case 'createAsset':
        return this.#createAsset(picks);
      case 'operate':
        return this.#operate(picks);
    }
  }

  #base(picks: Picks): Built | undefined {
    const other = picks.of(
      this.#wallet.coins.X.filter(
        (coin) => coin.asset !== avax && coin.type === 'TransferOutput' && isFree(coin, this.time),
      ),
    );
    if (!other) return this.#build('BaseTx', {}, {}, picks);
    const change = [transfer(other.asset, other.amount as bigint, drawOwner(picks, this.time))];
    return this.#build('BaseTx', {}, { taken: [{ coin: other, source: 'input', asLocked: false }], change }, picks);
  }

  #createAsset(picks: Picks): Built | undefined {
    const own = (type: string, amount: bigint | null): Output => ({
      asset: avax,
      type,
      amount,
      owner: { locktime: 0n, threshold: 1, addresses: [filled(0x10, 20)] },
      stakeable: null,
      group: picks.next(3),
    });
    const states = [
      { fxIndex: 0, outputs: [own('TransferOutput', BigInt(1 + picks.next(1000))), own('MintOutput', null)] },
      ...(picks.next(2) === 1 ? [{ fxIndex: 1, outputs: [own('NftMintOutput', null)] }] : []),
      ...(picks.next(2) === 1 ? [{ fxIndex: 2, outputs: [own('PropertyMintOutput', null)] }] : []),
    ];
    const initialStates = states.map(({ fxIndex, outputs }) => ({ fxIndex, outputs: outputs.map(wireState) }));
    const made = states.flatMap(({ outputs }) =>
      outputs.map((output) => ({ output, destination: 'initial_state' as const })),
    );
    const fields = { name: Buffer.from('Own'), symbol: Buffer.from('OWN'), denomination: 2, initialStates };
    return this.#build('CreateAssetTx', fields, { made, assetName: 'Own' }, picks);
  }

  #operate(picks: Picks): Built | undefined {
    const coin = picks.of(this.#wallet.coins.X.filter((one) => mintable.includes(one.type) && isFree(one, this.time)));
    if (!coin) return undefined;
    const { asset, group } = coin;
    const to = drawOwner(picks, this.time);
    const output = (type: string, amount: bigint | null = null, owner = to): Output => ({
      asset,
      type,
      amount,
      owner,
      stakeable: null,
      group,
    });
    const input = { signatureIndices: [0] };
    const minted = (type: string) => output(type, null, coin.owner);
    const operate = (operation: object, outputs: readonly Output[]) => {
      const wire = { assetID: asset, inputIDs: [{ txID: coin.txId, outputIndex: coin.index }], operation };
      const made = outputs.map((one) => ({ output: one, destination: 'operation' as const }));
      return this.#build(
        'OperationTx',
        { operations: [wire] },
        { taken: [{ coin, source: 'operation', asLocked: false }], made },
        picks,
      );
    };
    switch (coin.type) {
      case 'MintOutput': {
        const [mint, transferred] = [minted('MintOutput'), output('TransferOutput', BigInt(1 + picks.next(99)))];
        return operate(
          {
            type: 'MintOperation',
            mintInput: input,
            mintOutput: members(mint.owner),
            transferOutput: { amount: transferred.amount, ...members(to) },
          },
          [mint, transferred],
        );
      }
      case 'NftMintOutput': {
        const outputs = Array.from({ length: 1 + picks.next(2) }, () => output('NftTransferOutput'));
        return operate(
          {
            type: 'NftMintOperation',
            mintInput: input,
            groupID: group,
            payload: filled(group, 3),
            outputs: outputs.map(({ owner }) => members(owner)),
          },
          outputs,
        );
      }
      case 'NftTransferOutput':
        return operate(
          {
            type: 'NftTransferOperation',
            input,
            output: { groupID: group, payload: filled(group, 3), ...members(to) },
          },
          [output('NftTransferOutput')],
        );
      case 'PropertyMintOutput': {
        const outputs = [minted('PropertyMintOutput'), output('PropertyOwnedOutput')];
        return operate(
          {
            type: 'PropertyMintOperation',
            mintInput: input,
            mintOutput: members(coin.owner),
            ownedOutput: members(to),
          },
          outputs,
        );
      }
      default:
        return operate({ type: 'PropertyBurnOperation', ...input }, []);
    }
  }

  #build(
    type: string,
    fields: object,
    more: Partial<Pick<Tx, 'taken' | 'from' | 'to' | 'assetName'>> & {
      readonly need?: bigint;
      readonly change?: readonly Output[];
      readonly made?: Made;
    },
    picks: Picks,
  ): Built | undefined {
    const { need = 0n, taken: own = [], change: others = [], made = [], ...body } = more;
    const paid = this.#wallet.pay(
      'X',
      need,
      this.time,
      picks,
      own.map(({ coin }): Coin => coin),
    );
    if (!paid) return undefined;
    const taken = [...paid.taken.map((one) => ({ ...one, asLocked: false })), ...own];
    const change = [...paid.change, ...others];
    const inputs = taken.filter(({ source }) => source === 'input').map(({ coin }) => wireInput(coin, false));
    const memo = picks.next(4) === 0 ? '0x' : '0x6d';
    const wire = {
      unsignedTx: {
        networkID: 12345,
        blockchainID: chainIds.X,
        outputs: change.map(wireOutput),
        inputs,
        memo: Buffer.from(memo.slice(2), 'hex'),
        ...fields,
        type,
      },
      credentials: [],
    };
    const id = sha256(encode(xTx, wire as never, 0));
    const all: Made = [...change.map((output) => ({ output, destination: 'output' as const })), ...made];
    const given = all.map(({ output, destination }, i): Given => {
      const asset = destination === 'initial_state' ? id : output.asset;
      return {
        coin: coinOf({ ...output, asset }, id, i, destination === 'exported' ? (body.to ?? 'P') : 'X'),
        destination,
      };
    });
    return {
      tx: { ...emptyTx, ...body, id: cb58(id), chain: 'X', type, taken, given, memo: memo === '0x' ? null : memo },
      wire,
    };
  }
}

/** A transaction by itself, as a vertex and the index X/tx have it. */
export const bytesOf = ({ wire }: Built): Buffer => encode(xTx, wire as never, 0);
