import { isCommit, isProposal } from '../../codec/blockType.ts';
import { fromCheckedHex } from '../../codec/bytes.ts';
import { parseLossless } from '../../codec/rawMembers.ts';
import { unsignedBytesOf } from '../../codec/unsignedBytesOf.ts';
import type { LinearBlockRecord, LinearChain } from '../../types.ts';
import type { PlatformBody } from './platformBody.ts';
import type { PrimaryTx } from './primaryTypes.ts';

interface RawTx {
  readonly id: string;
  readonly unsignedTx: PlatformBody;
  readonly credentials?:
    | readonly {
        readonly signatures?: readonly string[];
        readonly credential?: { readonly signatures?: readonly string[] };
      }[]
    | null;
}

interface RawBlock {
  readonly id: string;
  readonly time?: string | number;
  readonly txs?: readonly RawTx[] | null;
  readonly tx?: RawTx;
}

/** A transaction with the block it is in. */
export interface LinearTx {
  readonly tx: PrimaryTx;
  /** For the transaction of a proposal block: whether the option block after it committed it. */
  readonly committed: boolean;
}

/**
 * The transactions of the P-Chain or X-Chain in order.
 * The transaction of a proposal block takes effect with the option block that follows, and is left out while none does.
 * Apricot blocks tell no time; theirs is when they were accepted.
 */
export function readLinearTxs({ name, blocks }: LinearChain, typeOf: (body: PlatformBody) => string): LinearTx[] {
  const found: LinearTx[] = [];
  for (const [at, record] of blocks.entries()) {
    const raw = (parseLossless(record.json) as { readonly block: RawBlock }).block;
    const time = raw.time === undefined ? Math.floor(record.visibleAt / 1000) : Number(raw.time);
    const bytes = lazyBytes(record, raw);
    const toTx = (one: RawTx, visibleAt: number): PrimaryTx => ({
      chain: name,
      id: one.id,
      type: typeOf(one.unsignedTx),
      ordinal: found.length,
      height: record.height,
      blockId: record.id,
      time,
      visibleAt,
      memo: one.unsignedTx.memo ?? '0x',
      sourceChain: one.unsignedTx.sourceChain ?? null,
      destinationChain: one.unsignedTx.destinationChain ?? null,
      consumed: [],
      emitted: [],
      evmInputs: [],
      evmOutputs: [],
      credentials: credentialsOf(one),
      unsigned: () => bytes().get(one.id) ?? null,
      body: one.unsignedTx,
      staking: null,
      ends: null,
      l1: [],
    });
    for (const one of raw.txs ?? []) found.push({ tx: toTx(one, record.visibleAt), committed: true });
    const option = blocks[at + 1];
    if (raw.tx !== undefined && isProposal(record)) {
      if (option !== undefined) {
        found.push({ tx: toTx(raw.tx, option.visibleAt), committed: isCommit(option) });
      }
    } else if (raw.tx !== undefined) {
      found.push({ tx: toTx(raw.tx, record.visibleAt), committed: true });
    }
  }
  return found;
}

const credentialsOf = (raw: RawTx): readonly (readonly string[])[] =>
  (raw.credentials ?? []).map(({ signatures, credential }) => signatures ?? credential?.signatures ?? []);

/** The signed bytes of a block's transactions, looked for once and only when needed. */
function lazyBytes(record: LinearBlockRecord, raw: RawBlock): () => ReadonlyMap<string, Uint8Array> {
  let found: ReadonlyMap<string, Uint8Array> | undefined;
  return () => {
    const { block } = JSON.parse(record.hex) as { readonly block: string };
    const all = [...(raw.txs ?? []), ...(raw.tx === undefined ? [] : [raw.tx])];
    found ??= unsignedBytesOf(
      fromCheckedHex(block),
      all.map((one) => ({ id: one.id, credentials: credentialsOf(one) })),
    );
    return found;
  };
}
