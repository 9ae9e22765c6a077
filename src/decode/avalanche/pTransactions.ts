import { encodeCb58 } from '../bytes/cb58.ts';
import { bytes, fixed, id, list, nodeId, struct, text, u8, u32, u64, union, type ValueOf } from './codec.ts';
import { baseFields, type SignedTx, signedTx } from './signedTx.ts';
import { authorization, credential, transferableInput, transferableOutput, typedOwner } from './transferables.ts';

// Members have the names of the node's JSON. Sources: avalanchego, vms/platformvm/txs; 40 to 42 from its master (ACP-236).

const base = baseFields(transferableOutput, transferableInput);

const validatorFields = { nodeID: nodeId, start: u64, end: u64, weight: u64 } as const;
const validator = struct(validatorFields);
const stake = list(transferableOutput);

/** BLS public key and proof of its possession. */
const blsKeyFields = { publicKey: fixed(48), proofOfPossession: fixed(96) } as const;
const signer = union('signer', { EmptySigner: [27, {}], ProofOfPossession: [28, blsKeyFields] });

/** Owner of an L1 validator's balance or of the right to switch it off; its addresses are cb58 in JSON. */
export const l1Owner = struct({ threshold: u32, addresses: list(fixed(20, encodeCb58)) });
const l1Validator = struct({
  nodeID: bytes(),
  weight: u64,
  balance: u64,
  signer: struct(blsKeyFields),
  remainingBalanceOwner: l1Owner,
  deactivationOwner: l1Owner,
});

/** The unsigned part of every P-Chain transaction, by type id. */
export const pUnsignedTx = union('P-Chain transaction', {
  AddValidatorTx: [12, { ...base, validator, stake, rewardsOwner: typedOwner, shares: u32 }],
  AddSubnetValidatorTx: [
    13,
    { ...base, validator: struct({ ...validatorFields, subnetID: id }), subnetAuthorization: authorization },
  ],
  AddDelegatorTx: [14, { ...base, validator, stake, rewardsOwner: typedOwner }],
  CreateChainTx: [
    15,
    {
      ...base,
      subnetID: id,
      chainName: text,
      vmID: id,
      fxIDs: list(id),
      genesisData: bytes((value) => value.toString('base64')),
      subnetAuthorization: authorization,
    },
  ],
  CreateSubnetTx: [16, { ...base, owner: typedOwner }],
  ImportTx: [17, { ...base, sourceChain: id, importedInputs: list(transferableInput) }],
  ExportTx: [18, { ...base, destinationChain: id, exportedOutputs: list(transferableOutput) }],
  AdvanceTimeTx: [19, { time: u64 }],
  RewardValidatorTx: [20, { txID: id }],
  RemoveSubnetValidatorTx: [23, { ...base, nodeID: nodeId, subnetID: id, subnetAuthorization: authorization }],
  TransformSubnetTx: [
    24,
    {
      ...base,
      subnetID: id,
      assetID: id,
      initialSupply: u64,
      maximumSupply: u64,
      minConsumptionRate: u64,
      maxConsumptionRate: u64,
      minValidatorStake: u64,
      maxValidatorStake: u64,
      minStakeDuration: u32,
      maxStakeDuration: u32,
      minDelegationFee: u32,
      minDelegatorStake: u64,
      maxValidatorWeightFactor: u8,
      uptimeRequirement: u32,
      subnetAuthorization: authorization,
    },
  ],
  AddPermissionlessValidatorTx: [
    25,
    {
      ...base,
      validator,
      subnetID: id,
      signer,
      stake,
      validationRewardsOwner: typedOwner,
      delegationRewardsOwner: typedOwner,
      shares: u32,
    },
  ],
  AddPermissionlessDelegatorTx: [26, { ...base, validator, subnetID: id, stake, rewardsOwner: typedOwner }],
  TransferSubnetOwnershipTx: [33, { ...base, subnetID: id, subnetAuthorization: authorization, newOwner: typedOwner }],
  BaseTx: [34, base],
  ConvertSubnetToL1Tx: [
    35,
    {
      ...base,
      subnetID: id,
      chainID: id,
      address: bytes(),
      validators: list(l1Validator),
      subnetAuthorization: authorization,
    },
  ],
  RegisterL1ValidatorTx: [
    36,
    { ...base, balance: u64, proofOfPossession: fixed(96, (value) => [...value]), message: bytes() },
  ],
  SetL1ValidatorWeightTx: [37, { ...base, message: bytes() }],
  IncreaseL1ValidatorBalanceTx: [38, { ...base, validationID: id, balance: u64 }],
  DisableL1ValidatorTx: [39, { ...base, validationID: id, disableAuthorization: authorization }],
  AddAutoRenewedValidatorTx: [
    40,
    {
      ...base,
      nodeID: bytes(),
      signer,
      stake,
      validationRewardsOwner: typedOwner,
      delegationRewardsOwner: typedOwner,
      validatorAuthority: typedOwner,
      delegationShares: u32,
      autoCompoundRewardShares: u32,
      period: u64,
    },
  ],
  SetAutoRenewedValidatorConfigTx: [
    41,
    { ...base, txID: id, auth: authorization, autoCompoundRewardShares: u32, period: u64 },
  ],
  RewardAutoRenewedValidatorTx: [42, { txID: id, timestamp: u64 }],
});

/** A signed P-Chain transaction. */
export const pTx = signedTx(pUnsignedTx, credential);

export type PUnsignedTx = ValueOf<typeof pUnsignedTx>;
export type PTx = SignedTx<PUnsignedTx, ValueOf<typeof credential>>;

/** Subnet id of the primary network, which is also the blockchain id of the P-Chain: all zero. */
export const primaryNetwork: Uint8Array = new Uint8Array(32);
