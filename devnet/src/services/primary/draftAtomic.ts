import { fromCheckedHex } from '../../codec/bytes.ts';
import { decodeAtomicTx } from '../../codec/decodeAtomicTx.ts';
import { addressPrefix } from '../../codec/primaryAddress.ts';
import type { Ledger } from '../../types.ts';
import { primaryChainOf } from './chainIds.ts';
import { type Draft, numbered } from './draft.ts';

/** The atomic transactions of the C-Chain in order, decoded from their bytes. */
export function draftAtomics(ledger: Ledger): Draft[] {
  const prefix = addressPrefix(ledger.networkId);
  const ordered = [...ledger.atomicTxs].sort(([, a], [, b]) => a.number - b.number);
  return ordered.flatMap(([id, { number, result }], ordinal): Draft[] => {
    const block = ledger.c.blocks.find((one) => one.number === number);
    if (block === undefined) return [];
    const atomic = decodeAtomicTx(fromCheckedHex((JSON.parse(result) as { readonly tx: string }).tx), prefix);
    const imports = atomic.type === 'ImportTx';
    const consumableOn = primaryChainOf(ledger, atomic.otherChain) ?? 'C';
    const tx = {
      chain: 'C' as const,
      id,
      type: atomic.type,
      ordinal,
      height: number,
      blockId: block.hash,
      time: block.timestamp,
      visibleAt: block.visibleAt,
      memo: '0x',
      sourceChain: imports ? atomic.otherChain : ledger.c.blockchainId,
      destinationChain: imports ? ledger.c.blockchainId : atomic.otherChain,
      consumed: [],
      emitted: [],
      evmInputs: imports ? [] : atomic.accounts,
      evmOutputs: imports ? atomic.accounts : [],
      credentials: atomic.credentials,
      unsigned: () => atomic.unsigned,
      body: {},
      staking: null,
      ends: null,
      l1: [],
    };
    const outputs = numbered(
      id,
      atomic.exported.map((output) => ({ output, consumableOn })),
    );
    const inputs = atomic.imported.map(({ txID, outputIndex, assetID, amount }) => ({
      txId: txID,
      outputIndex,
      assetId: assetID,
      amount,
    }));
    return [{ tx, outputs, inputs }];
  });
}
