import { bytes, id, type Json, list, struct, text, u8, u32, union, type ValueOf, withJson } from './codec.ts';
import {
  credentialFields,
  fxIds,
  input,
  inputFields,
  nftMintOutputFields,
  nftTransferOutput,
  nftTransferOutputFields,
  owner,
  ownerFields,
  transferInputFields,
  transferOutput,
  transferOutputFields,
} from './fxTypes.ts';
import { baseFields, readWhole, type SignedTx, signedTx } from './signedTx.ts';
import { withFx } from './transferables.ts';

// Members have the names of the node's JSON. Sources: avalanchego, vms/avm/txs, vms/{secp256k1fx,nftfx,propertyfx}.

/** Every kind of output (state) that a feature extension of the X-Chain can make, by type id. */
export const xOutputVariants = {
  MintOutput: [6, ownerFields],
  TransferOutput: [7, transferOutputFields],
  NftMintOutput: [10, nftMintOutputFields],
  NftTransferOutput: [11, nftTransferOutputFields],
  PropertyMintOutput: [15, ownerFields],
  PropertyOwnedOutput: [16, ownerFields],
} as const;
export const xOutput = union('X-Chain output', xOutputVariants);

/** Every operation. The outputs inside an operation stand without a type id: the operation says what they are. */
export const xOperation = union('X-Chain operation', {
  MintOperation: [8, { mintInput: input, mintOutput: owner, transferOutput }],
  NftMintOperation: [12, { mintInput: input, groupID: u32, payload: bytes(), outputs: list(owner) }],
  NftTransferOperation: [13, { input, output: nftTransferOutput }],
  PropertyMintOperation: [17, { mintInput: input, mintOutput: owner, ownedOutput: owner }],
  PropertyBurnOperation: [18, inputFields],
});

/** The feature extension of an output, operation or credential, by the prefix of its type's name. */
function fxOf(type: string): Json {
  if (type.startsWith('Nft')) return fxIds.nftfx;
  return type.startsWith('Property') ? fxIds.propertyfx : fxIds.secp256k1fx;
}

const transferableOutput = withFx(struct({ assetID: id, output: xOutput }), (value) => fxOf(value.output.type));
const transferableInput = withFx(
  struct({
    txID: id,
    outputIndex: u32,
    assetID: id,
    input: union('X-Chain input', { TransferInput: [5, transferInputFields] }),
  }),
  () => fxIds.secp256k1fx,
);
const operation = withFx(
  struct({ assetID: id, inputIDs: list(struct({ txID: id, outputIndex: u32 })), operation: xOperation }),
  (value) => fxOf(value.operation.type),
);
const initialState = withFx(
  struct({ fxIndex: u32, outputs: list(xOutput) }),
  (value) => Object.values(fxIds)[value.fxIndex] ?? null,
);
const credential = withJson(
  union('X-Chain credential', {
    Credential: [9, credentialFields],
    NftCredential: [14, credentialFields],
    PropertyCredential: [19, credentialFields],
  }),
  (json, value) => ({ fxID: fxOf(value.type), credential: json }),
);

const base = baseFields(transferableOutput, transferableInput);

/** The unsigned part of every X-Chain transaction, by type id. */
export const xUnsignedTx = union('X-Chain transaction', {
  BaseTx: [0, base],
  CreateAssetTx: [1, { ...base, name: text, symbol: text, denomination: u8, initialStates: list(initialState) }],
  OperationTx: [2, { ...base, operations: list(operation) }],
  ImportTx: [3, { ...base, sourceChain: id, importedInputs: list(transferableInput) }],
  ExportTx: [4, { ...base, destinationChain: id, exportedOutputs: list(transferableOutput) }],
});

/** A signed X-Chain transaction. */
export const xTx = signedTx(xUnsignedTx, credential);

export type XTx = SignedTx<ValueOf<typeof xUnsignedTx>, ValueOf<typeof credential>>;
export type XOutput = ValueOf<typeof xOutput>;
export type XOperation = ValueOf<typeof xOperation>;

/** Decodes a bare X-Chain transaction (with codec version), as in the index X/tx. */
export const decodeXTx = (bytes: Uint8Array): XTx =>
  readWhole(bytes, xTx, 'the X-Chain transaction', 'the transaction');
