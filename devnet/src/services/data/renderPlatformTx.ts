import { emptyId } from '../../codec/cb58.ts';
import { bareAddress } from '../../codec/primaryAddress.ts';
import type { Ledger } from '../../types.ts';
import { renderAmount, renderSums } from '../primary/assets.ts';
import type { PrimaryHistory } from '../primary/primaryHistory.ts';
import type { L1Change, PrimaryTx, Staking } from '../primary/primaryTypes.ts';
import { renderPlatformUtxo, renderUint } from './renderUtxo.ts';

/** A P-Chain transaction as the service shows it at a moment (milliseconds). */
export function renderPlatformTx(ledger: Ledger, history: PrimaryHistory, tx: PrimaryTx, asOf: number): object {
  const view = { ledger, history, asOf, within: tx };
  const { body, staking, ends } = tx;
  const avax = (amount: bigint): object[] => (amount > 0n ? [renderAmount(history, history.avaxAssetId, amount)] : []);
  return {
    txHash: tx.id,
    txType: tx.type,
    blockTimestamp: tx.time,
    blockNumber: String(tx.height),
    blockHash: tx.blockId,
    consumedUtxos: tx.consumed.map((utxo) => renderPlatformUtxo(utxo, view)),
    emittedUtxos: tx.emitted.map((utxo) => renderPlatformUtxo(utxo, view)),
    ...atomicEnds(ledger, tx),
    value: renderSums(history, tx.emitted),
    amountBurned: burned(history, tx),
    amountStaked: renderSums(
      history,
      tx.emitted.filter((utxo) => utxo.staking !== null),
    ),
    amountL1ValidatorBalanceBurned: avax(tx.l1.reduce((sum, { balanceChange }) => sum + positive(balanceChange), 0n)),
    ...(staking === null ? {} : renderStakingMembers(staking, asOf)),
    ...subnetMembers(tx),
    ...(tx.type === 'ConvertSubnetToL1Tx'
      ? { l1ValidatorManagerDetails: { blockchainId: body.chainID ?? '', contractAddress: body.address ?? '' } }
      : {}),
    ...(tx.l1.length === 0 ? {} : { l1ValidatorDetails: tx.l1.map(renderL1Change) }),
    memo: tx.memo,
    ...(ends === null ? {} : { stakingTxHash: ends.txId, rewardAddresses: ends.rewardAddresses }),
    ...ownership(tx),
    ...(body.chainName === undefined ? {} : { blockchainInfo: blockchainInfo(tx) }),
  };
}

const positive = (change: bigint | null): bigint => (change !== null && change > 0n ? change : 0n);

function atomicEnds(ledger: Ledger, tx: PrimaryTx): object {
  if (tx.sourceChain !== null) return { sourceChain: tx.sourceChain, destinationChain: ledger.p.blockchainId };
  return tx.destinationChain === null
    ? {}
    : { sourceChain: ledger.p.blockchainId, destinationChain: tx.destinationChain };
}

/** Inputs less outputs; what the chain itself pays out (rewards, returned balances) is not the sender's. */
function burned(history: PrimaryHistory, tx: PrimaryTx): object[] {
  if (tx.consumed.length === 0) return [];
  const returned = tx.l1.reduce(
    (sum, { balanceChange }) => sum + positive(balanceChange === null ? null : -balanceChange),
    0n,
  );
  return renderSums(history, [
    ...tx.consumed.map(({ assetId, amount }) => ({ assetId, amount })),
    ...tx.emitted.map(({ assetId, amount }) => ({ assetId, amount: -amount })),
    { assetId: history.avaxAssetId, amount: returned },
  ]);
}

function renderStakingMembers(staking: Staking, asOf: number): object {
  const { endedBy, shares, signer, potentialReward } = staking;
  return {
    startTimestamp: staking.start,
    endTimestamp: staking.end,
    ...(shares === null ? {} : { delegationFeePercent: String(shares / 10_000) }),
    nodeId: staking.nodeId,
    subnetId: staking.subnetId,
    ...(potentialReward === null ? {} : { estimatedReward: String(potentialReward) }),
    ...(endedBy !== null && endedBy.visibleAt <= asOf ? { rewardTxHash: endedBy.id } : {}),
    ...(staking.rewardAddresses.length === 0 ? {} : { rewardAddresses: staking.rewardAddresses }),
    ...(signer === null ? {} : { blsCredentials: { ...signer } }),
  };
}

/** Node and subnet of a transaction that is no staking. */
function subnetMembers({ type, id, body, staking }: PrimaryTx): object {
  if (staking !== null) return {};
  const subnetId = type === 'CreateSubnetTx' ? id : body.subnetID;
  return {
    ...(body.nodeID === undefined ? {} : { nodeId: body.nodeID }),
    ...(subnetId === undefined ? {} : { subnetId }),
  };
}

const renderL1Change = (change: L1Change): object => ({
  validationId: change.validationId,
  validationIdHex: change.validationIdHex,
  nodeId: change.nodeId,
  subnetId: change.subnetId,
  weight: renderUint(change.weight),
  remainingBalance: renderUint(change.remainingBalance),
  ...(change.balanceChange === null ? {} : { balanceChange: renderUint(change.balanceChange) }),
  ...(change.blsPublicKey === null ? {} : { blsCredentials: { publicKey: change.blsPublicKey } }),
});

function ownership({ body }: PrimaryTx): object {
  const owner = body.owner ?? body.newOwner;
  if (owner === undefined) return {};
  const { locktime = 0, threshold, addresses } = owner;
  return { subnetOwnershipInfo: { locktime: Number(locktime), threshold, addresses: addresses.map(bareAddress) } };
}

/** An EVM genesis is shown as the object it is; any other as the node gives it, in base64. */
function blockchainInfo({ body }: PrimaryTx): object {
  const { chainName = '', vmID = emptyId, genesisData = '' } = body;
  return { chainName, vmId: vmID, genesisData: evmGenesis(genesisData) ?? genesisData };
}

function evmGenesis(base64: string): object | null {
  try {
    const genesis = JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as { readonly config?: unknown } | null;
    return typeof genesis?.config === 'object' ? genesis : null;
  } catch {
    return null;
  }
}
