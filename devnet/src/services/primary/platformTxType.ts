import type { PlatformBody } from './platformBody.ts';

/** The kind of a P-Chain transaction, told by its members: the node's JSON has no name for it. */
export function platformTxType(body: PlatformBody): string {
  if (body.importedInputs !== undefined) return 'ImportTx';
  if (body.exportedOutputs !== undefined) return 'ExportTx';
  if (body.stake !== undefined) {
    const permissionless = body.subnetID !== undefined;
    if (body.shares === undefined) return permissionless ? 'AddPermissionlessDelegatorTx' : 'AddDelegatorTx';
    return permissionless ? 'AddPermissionlessValidatorTx' : 'AddValidatorTx';
  }
  if (body.validator !== undefined) return 'AddSubnetValidatorTx';
  if (body.chainName !== undefined) return 'CreateChainTx';
  if (body.owner !== undefined) return 'CreateSubnetTx';
  if (body.newOwner !== undefined) return 'TransferSubnetOwnershipTx';
  if (body.initialSupply !== undefined) return 'TransformSubnetTx';
  if (body.validators !== undefined) return 'ConvertSubnetToL1Tx';
  if (body.nodeID !== undefined && body.subnetAuthorization !== undefined) return 'RemoveSubnetValidatorTx';
  if (body.message !== undefined)
    return body.balance === undefined ? 'SetL1ValidatorWeightTx' : 'RegisterL1ValidatorTx';
  if (body.validationID !== undefined) {
    return body.disableAuthorization === undefined ? 'IncreaseL1ValidatorBalanceTx' : 'DisableL1ValidatorTx';
  }
  if (body.outputs === undefined && body.txID !== undefined) return 'RewardValidatorTx';
  if (body.outputs === undefined && body.time !== undefined) return 'AdvanceTimeTx';
  return 'BaseTx';
}

/** The kind of an X-Chain transaction. */
export function exchangeTxType(body: PlatformBody): string {
  if (body.importedInputs !== undefined) return 'ImportTx';
  if (body.exportedOutputs !== undefined) return 'ExportTx';
  if (body.operations !== undefined) return 'OperationTx';
  return body.initialStates === undefined ? 'BaseTx' : 'CreateAssetTx';
}
