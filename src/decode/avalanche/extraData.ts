import { FirnError } from '../../core/firnError.ts';
import { fixed, id, list, struct, u32, u64, union, type ValueOf } from './codec.ts';
import { readWhole, type SignedTx, signedTx } from './signedTx.ts';
import { credential, transferableInput, transferableOutput } from './transferables.ts';

/** Where an import credits EVM accounts. */
const evmOutput = struct({ address: fixed(20), amount: u64, assetID: id });
/** The EVM account an export debits. */
const evmInput = struct({ address: fixed(20), amount: u64, assetID: id, nonce: u64 });

const base = { networkID: u32, blockchainID: id } as const;

export const atomicUnsignedTx = union('atomic transaction', {
  ImportTx: [0, { ...base, sourceChain: id, importedInputs: list(transferableInput), outputs: list(evmOutput) }],
  ExportTx: [1, { ...base, destinationChain: id, inputs: list(evmInput), exportedOutputs: list(transferableOutput) }],
});
const atomicTx = signedTx(atomicUnsignedTx, credential);
const atomicTxs = list(atomicTx);

export type AtomicTx = SignedTx<ValueOf<typeof atomicUnsignedTx>, ValueOf<typeof credential>>;

/** The atomic transactions of one C-Chain block: imports from and exports to the P- and X-Chain. */
export interface ExtraData {
  /** `single` is the form before ApricotPhase5: one transaction without a count. */
  readonly form: 'empty' | 'single' | 'batch';
  readonly txs: readonly AtomicTx[];
}

/**
 * Decodes a C-Chain block's extra data. The two forms are not marked; a count and as many transactions that end exactly
 * at the last byte are a batch, anything else must be a single transaction.
 */
export function decodeExtraData(bytes: Uint8Array): ExtraData {
  if (bytes.length === 0) return { form: 'empty', txs: [] };
  const what = 'the extra data';
  try {
    return { form: 'batch', txs: readWhole(bytes, atomicTxs, what, 'atomic transactions') };
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    return { form: 'single', txs: [readWhole(bytes, atomicTx, what, 'the atomic transaction')] };
  }
}
