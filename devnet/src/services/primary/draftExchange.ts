import type { Ledger } from '../../types.ts';
import { primaryChainOf } from './chainIds.ts';
import { type Draft, type DraftInput, numbered } from './draft.ts';
import type { JsonInput, JsonOperation, PlatformBody } from './platformBody.ts';
import type { Output, PrimaryTx } from './primaryTypes.ts';
import { readOutput, readValue } from './readOutput.ts';

const nftFx = 'qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT';
const propertyFx = 'rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy';

/** An X-Chain transaction with its outputs in the order of their indexes: plain ones, then exported, created or operated ones. */
export function draftExchange(ledger: Ledger, tx: PrimaryTx): Draft {
  const { body } = tx;
  const stays = (output: Output) => ({ output, consumableOn: 'X' as const });
  const target = tx.destinationChain === null ? null : primaryChainOf(ledger, tx.destinationChain);
  const outputs = [
    ...(body.outputs ?? []).map(readOutput).map(stays),
    ...(body.exportedOutputs ?? []).map((output) => ({
      output: readOutput(output),
      consumableOn: target ?? ('X' as const),
    })),
    ...createdIn(tx.id, body).map(stays),
    ...(body.operations ?? []).flatMap((one) => operated(one.assetID, one.fxID, one.operation)).map(stays),
  ];
  const inputs: DraftInput[] = [
    ...[...(body.inputs ?? []), ...(body.importedInputs ?? [])].map(toInput),
    ...(body.operations ?? []).flatMap((one) =>
      one.inputIDs.map(({ txID, outputIndex }) => ({ txId: txID, outputIndex, assetId: one.assetID, amount: null })),
    ),
  ];
  return { tx, outputs: numbered(tx.id, outputs), inputs };
}

/** An input as the node's JSON shows it; one inside a time lock holds its amount a level deeper. */
export const toInput = ({ txID, outputIndex, assetID, input }: JsonInput): DraftInput => ({
  txId: txID,
  outputIndex,
  assetId: assetID,
  amount: BigInt(input.amount ?? input.input?.amount ?? 0),
});

/** Outputs of a new asset: its id is the transaction's, and the feature extension tells what an output without an amount mints. */
function createdIn(txId: string, body: PlatformBody): Output[] {
  return (body.initialStates ?? []).flatMap(({ fxIndex, outputs }) =>
    (outputs ?? []).map((value) => {
      if (fxIndex === 1) return readValue(txId, value, value.payload === undefined ? 'nft_mint' : 'nft_transfer');
      if (fxIndex === 2) return readValue(txId, value, 'property_mint');
      return readValue(txId, value, value.amount === undefined ? 'mint' : 'transfer');
    }),
  );
}

function operated(assetId: string, fxId: string | undefined, operation: JsonOperation): Output[] {
  const { mintOutput, transferOutput, ownedOutput, outputs, output, groupID, payload } = operation;
  const mintKind = fxId === propertyFx ? 'property_mint' : 'mint';
  return [
    ...(mintOutput === undefined ? [] : [readValue(assetId, mintOutput, mintKind)]),
    ...(transferOutput === undefined ? [] : [readValue(assetId, transferOutput, 'transfer')]),
    ...(ownedOutput === undefined ? [] : [readValue(assetId, ownedOutput, 'property')]),
    ...(outputs ?? []).map((owner) =>
      readValue(assetId, { ...owner, groupID: groupID ?? 0, payload: payload ?? '' }, 'nft_transfer'),
    ),
    ...(output === undefined ? [] : [readValue(assetId, output, fxId === nftFx ? 'nft_transfer' : 'property')]),
  ];
}
