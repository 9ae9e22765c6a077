import { describe, expect, test } from 'vitest';
import { decodeEnvelope } from '../../../src/decode/avalanche/envelope.ts';
import { atomicUnsignedTx, decodeExtraData } from '../../../src/decode/avalanche/extraData.ts';
import { decodeL1Instruction } from '../../../src/decode/avalanche/l1Instruction.ts';
import { decodePBlock } from '../../../src/decode/avalanche/pBlock.ts';
import { utxoId } from '../../../src/decode/avalanche/signedTx.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { decodeCb58, encodeCb58 } from '../../../src/decode/bytes/cb58.ts';
import { fromHex, toHex } from '../../../src/decode/bytes/hex.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { encodeNodeId, nodeIdOfCertificate } from '../../../src/decode/bytes/nodeId.ts';
import { decodeEvmBlock } from '../../../src/decode/evm/evmBlock.ts';
import { some } from '../../some.ts';
import { decodedRows, integer } from '../decodedRows.ts';
import { LEDGERS, type Recorded, readChain, readLines, txsOf } from '../recordedLedger.ts';

// Every column of a block, and of what its transactions are and do, against the node's JSON of it.

const primary = '11111111111111111111111111111111LpoYY';
const codec = 'test/fixtures/avalanchego-codec';

interface Case {
  readonly chain: 'C' | 'P' | 'X';
  readonly bytes: Buffer;
  /** As the node's JSON has them. */
  readonly txs: readonly Recorded[];
  readonly block: Recorded;
}

function casesOf(ledger: string, chain: 'C' | 'P' | 'X'): Case[] {
  const name = chain.toLowerCase() as 'c' | 'p' | 'x';
  if (ledger === codec)
    return readLines(codec, `${name}-blocks`).map(({ bytes, json }) => ({
      chain,
      bytes: decodeHexChecksum(bytes),
      ...partsOf(json),
    }));
  return readChain(ledger, name).map(({ container, json, block }) => {
    const bytes = decodeHexChecksum(container.bytes);
    return chain === 'C'
      ? {
          chain,
          bytes,
          txs: atomicTxs(bytes),
          block: { ...block, height: Number(block.number), time: Number(block.timestamp) },
        }
      : { chain, bytes, ...partsOf(json.block) };
  });
}

const partsOf = (block: Recorded) => ({ txs: txsOf(block), block });

/** The node gives no JSON of atomic transactions: this is what their codec, which is tested by itself, makes of them. */
const atomicTxs = (bytes: Buffer): Recorded[] =>
  decodeExtraData(decodeEvmBlock(decodeEnvelope(bytes).inner).extraData ?? Buffer.alloc(0)).txs.map((tx) => ({
    id: encodeCb58(tx.id),
    unsignedTx: atomicUnsignedTx.json(tx.unsignedTx, { chain: 'C', hrp: 'local' }),
    credentials: tx.credentials.map(({ signatures }) => ({ signatures: signatures.map(toHex) })),
  }));

const plain = (address: string) => address.slice(address.indexOf('-') + 1);
const number = (value: Recorded) => (value === undefined ? null : integer(value));
const micros = (seconds: Recorded) => (seconds === undefined ? null : Number(seconds) * 1e6);
const placeOf = ({ height, time }: Recorded) => ({ block_height: height, block_timestamp: micros(time) });
const idOf = (txID: string, index: number) => encodeCb58(utxoId(decodeCb58(txID), index));

function inputsOf({ id, unsignedTx: tx, credentials }: Recorded, block: Recorded): Recorded[] {
  const signatures = (at: number) => (credentials[at]?.credential ?? credentials[at])?.signatures ?? [];
  const start = { tx_id: id, ...placeOf(block), evm_address: null, evm_nonce: null, stakeable_locktime: null };
  const spent = (source: string, chain: string, items: Recorded[] = []) =>
    items.map(({ txID, outputIndex, assetID, input, address, amount, nonce }) => ({
      ...start,
      source_chain_id: chain,
      asset_id: assetID,
      ...(address
        ? {
            ...{ source: 'evm', input_type: 'EVMInput', utxo_id: null, output_tx_id: null, output_index: null },
            ...{ amount: integer(amount), signature_indices: null, evm_address: address, evm_nonce: integer(nonce) },
          }
        : {
            source,
            input_type: input.input ? 'StakeableLockIn' : 'TransferInput',
            utxo_id: idOf(txID, outputIndex),
            output_tx_id: txID,
            output_index: outputIndex,
            amount: integer((input.input ?? input).amount),
            stakeable_locktime: input.input ? integer(input.locktime) : null,
            signature_indices: JSON.stringify((input.input ?? input).signatureIndices),
          }),
    }));
  const own = [
    ...spent('input', tx.blockchainID, tx.inputs),
    ...spent('imported', tx.sourceChain, tx.importedInputs),
  ].map((row, at) => ({ ...row, signatures: signatures(at) }));
  const operated = (tx.operations ?? []).flatMap(({ assetID, inputIDs, operation }: Recorded, at: number) =>
    inputIDs.map(({ txID, outputIndex }: Recorded) => ({
      ...start,
      source: 'operation',
      input_type: expect.stringMatching(/^(Nft|Property|)(Mint|Transfer|Burn)Operation$/),
      utxo_id: idOf(txID, outputIndex),
      output_tx_id: txID,
      output_index: outputIndex,
      source_chain_id: tx.blockchainID,
      asset_id: assetID,
      amount: null,
      signature_indices: JSON.stringify((operation.mintInput ?? operation.input ?? operation).signatureIndices),
      signatures: signatures(tx.inputs.length + at),
    })),
  );
  return [...own, ...operated].map((row, at) => ({ ...row, input_index: at }));
}

/** The outputs that an operation of the X-Chain makes. */
function madeBy({ mintOutput, transferOutput, ownedOutput, output, outputs, groupID, payload }: Recorded): Recorded[] {
  const minted = (outputs ?? []).map((owner: Recorded) => ({ ...owner, groupID, payload }));
  return [mintOutput, transferOutput, ownedOutput, output, ...minted].filter((one) => one !== undefined);
}

function outputsOf({ id, unsignedTx: tx }: Recorded, block: Recorded): Recorded[] {
  const made = (destination: string, chain: string, assetID: string | null, items: Recorded[] = []) =>
    items.map((item) => {
      const { output = item, address } = item;
      const state = output.output ?? output;
      return {
        tx_id: id,
        ...placeOf(block),
        destination_chain_id: chain,
        asset_id: assetID ?? item.assetID,
        destination: address ? 'evm' : destination,
        output_type: address ? 'EVMOutput' : typeOf(output),
        amount: number(state.amount),
        locktime: number(state.locktime),
        stakeable_locktime: output.output ? integer(output.locktime) : null,
        threshold: state.threshold ?? null,
        addresses: (state.addresses ?? []).map(plain),
        evm_address: address ?? null,
        group_id: state.groupID ?? null,
        payload: state.payload ?? null,
      };
    });
  const chain = tx.blockchainID;
  return [
    ...made('output', chain, null, tx.outputs),
    ...made('stake', chain, null, tx.stake),
    ...made('exported', tx.destinationChain, null, tx.exportedOutputs),
    ...(tx.initialStates ?? []).flatMap(({ outputs }: Recorded) => made('initial_state', chain, id, outputs)),
    ...(tx.operations ?? []).flatMap((one: Recorded) => made('operation', chain, one.assetID, madeBy(one.operation))),
  ].map((row, at) => ({ ...row, output_index: at, utxo_id: row.evm_address ? null : idOf(id, at) }));
}

/** JSON does not say the types of outputs without an amount apart. */
function typeOf(output: Recorded) {
  if (output.output) return 'StakeableLockOut';
  if (output.payload !== undefined) return 'NftTransferOutput';
  if (output.groupID !== undefined) return 'NftMintOutput';
  return output.amount === undefined
    ? expect.stringMatching(/^(Mint|PropertyMint|PropertyOwned)Output$/)
    : 'TransferOutput';
}

function transactionOf(chain: string, { id, unsignedTx: tx }: Recorded, block: Recorded): Recorded {
  const common = {
    tx_id: id,
    ...placeOf(block),
    network_id: tx.networkID ?? null,
    blockchain_id: tx.blockchainID ?? null,
    source_chain_id: tx.sourceChain ?? null,
    destination_chain_id: tx.destinationChain ?? null,
  };
  if (chain === 'C') return { ...common, tx_type: tx.sourceChain ? 'ImportTx' : 'ExportTx' };
  if (chain === 'X')
    return {
      ...common,
      memo: tx.memo,
      asset_name: tx.name ?? null,
      asset_symbol: tx.symbol ?? null,
      asset_denomination: tx.denomination ?? null,
    };
  return {
    ...common,
    memo: tx.memo ?? null,
    is_proposal: id === block.tx?.id && !tx.importedInputs && !tx.exportedOutputs,
    subnet_id: tx.subnetID ?? tx.validator?.subnetID ?? (tx.stake ? primary : null),
    node_id: nodeOf(tx.validator?.nodeID ?? tx.nodeID ?? null),
    staking_tx_id: tx.txID ?? null,
    chain_time: micros(tx.time ?? tx.timestamp),
  };
}

const nodeOf = (id: string | null) => (id?.startsWith('0x') ? encodeNodeId(fromHex(id)) : id);

function stakingOf({ id, unsignedTx: tx }: Recorded, block: Recorded): Recorded[] {
  if (!tx.validator && !tx.validatorAuthority) return [];
  const stake = (tx.stake ?? []).map(({ output }: Recorded) => BigInt((output.output ?? output).amount));
  const sum = integer(stake.reduce((one: bigint, other: bigint) => one + other, 0n));
  const shares = tx.shares ?? tx.delegationShares;
  const reward = tx.rewardsOwner ?? tx.validationRewardsOwner;
  // Before Banff a validator had one owner for both.
  const delegationReward = tx.delegationRewardsOwner ?? (shares === undefined ? undefined : tx.rewardsOwner);
  return [
    {
      tx_id: id,
      ...placeOf(block),
      tx_type: expect.stringMatching(/^Add(Permissionless|Subnet|AutoRenewed|)(Validator|Delegator)Tx$/),
      role: shares === undefined && !tx.subnetAuthorization ? 'delegator' : 'validator',
      node_id: nodeOf(tx.nodeID ?? tx.validator.nodeID),
      subnet_id: tx.validator?.subnetID ?? tx.subnetID ?? primary,
      start_time: micros(tx.validator?.start),
      end_time: micros(tx.validator?.end),
      weight: tx.validator ? integer(tx.validator.weight) : sum,
      stake_amount: sum,
      stake_asset_id: tx.stake?.[0]?.assetID ?? null,
      delegation_shares: shares ?? null,
      bls_public_key: tx.signer?.publicKey ?? null,
      bls_proof_of_possession: tx.signer?.proofOfPossession ?? null,
      ...ownedBy('reward', reward),
      reward_locktime: number(reward?.locktime),
      ...ownedBy('delegation_reward', delegationReward),
      delegation_reward_locktime: number(delegationReward?.locktime),
      period: tx.validatorAuthority ? integer(tx.period) : null,
      auto_compound_reward_shares: tx.autoCompoundRewardShares ?? null,
      ...ownedBy('authority', tx.validatorAuthority),
    },
  ];
}

const ownedBy = (what: string, owner: Recorded) => ({
  [`${what}_addresses`]: owner?.addresses.map(plain) ?? null,
  [`${what}_threshold`]: owner?.threshold ?? null,
});

function subnetsOf({ id, unsignedTx: tx }: Recorded, block: Recorded): Recorded[] {
  const event = tx.owner
    ? 'created'
    : tx.newOwner
      ? 'transferred'
      : tx.initialSupply !== undefined
        ? 'transformed'
        : tx.validators && 'converted';
  const owner = tx.owner ?? tx.newOwner;
  const row = {
    tx_id: id,
    ...placeOf(block),
    event,
    subnet_id: tx.subnetID ?? id,
    ...ownedBy('owner', owner),
    owner_locktime: number(owner?.locktime),
    asset_id: tx.assetID ?? null,
    manager_chain_id: tx.chainID ?? null,
    manager_address: tx.address ?? null,
  };
  return event ? [row] : [];
}

function blockchainsOf({ id, unsignedTx: tx }: Recorded, { height, time }: Recorded): Recorded[] {
  if (!tx.vmID) return [];
  return [
    {
      blockchain_id: id,
      ...placeOf({ height, time }),
      subnet_id: tx.subnetID,
      chain_name: tx.chainName,
      vm_id: tx.vmID,
      fx_ids: tx.fxIDs,
      genesis_data: Buffer.from(tx.genesisData, 'base64'),
    },
  ];
}

/** Owners of an L1's validators stand in JSON as cb58, in messages as bytes. */
const l1Owner = (what: string, { threshold, addresses }: Recorded) =>
  ownedBy(what, {
    threshold,
    addresses: addresses.map((one: Recorded) => toBech32(one instanceof Uint8Array ? one : decodeCb58(one), 'local')),
  });

/** What a transaction does to validators of L1s; the ids of new validations are for another test. */
function l1ValidatorsOf({ id, unsignedTx: tx }: Recorded, block: Recorded): Recorded[] {
  const start = { tx_id: id, ...placeOf(block) };
  const validation_id = tx.validationID;
  if (tx.disableAuthorization) return [{ ...start, event: 'disabled', validation_id, balance: null }];
  if (validation_id) return [{ ...start, event: 'balance_increased', validation_id, balance: integer(tx.balance) }];
  if (tx.message) return [{ ...start, ...instructedBy(tx) }];
  return (tx.validators ?? []).map((one: Recorded) => ({
    ...start,
    event: 'converted',
    subnet_id: tx.subnetID,
    node_id: nodeOf(one.nodeID),
    weight: integer(one.weight),
    balance: integer(one.balance),
    bls_public_key: one.signer.publicKey,
    bls_proof_of_possession: one.signer.proofOfPossession,
    ...l1Owner('remaining_balance', one.remainingBalanceOwner),
    ...l1Owner('deactivation', one.deactivationOwner),
  }));
}

function instructedBy({ message, balance, proofOfPossession }: Recorded): Recorded {
  const { sourceChainID, sourceAddress, instruction } = decodeL1Instruction(fromHex(message));
  const source = { source_chain_id: encodeCb58(sourceChainID), source_address: toHex(sourceAddress) };
  if (instruction.type === 'RegisterL1Validator')
    return {
      event: 'registered',
      subnet_id: encodeCb58(instruction.subnetID),
      node_id: encodeNodeId(instruction.nodeID),
      weight: integer(instruction.weight),
      balance: integer(balance),
      bls_public_key: toHex(instruction.blsPublicKey),
      bls_proof_of_possession: toHex(Buffer.from(proofOfPossession)),
      expiry: integer(instruction.expiry),
      ...l1Owner('remaining_balance', instruction.remainingBalanceOwner),
      ...l1Owner('deactivation', instruction.disableOwner),
      ...source,
    };
  const { validationID, nonce, weight } = instruction as Recorded;
  return {
    event: 'weight_set',
    validation_id: encodeCb58(validationID),
    nonce: integer(nonce),
    weight: integer(weight),
    ...source,
  };
}

/** What a block says of itself, and its envelope of it. */
function blockOf({ chain, bytes, block }: Case): Recorded {
  const envelope = decodeEnvelope(bytes);
  const proposed = 'signature' in envelope ? envelope : undefined;
  const parent = chain === 'C' ? encodeCb58(fromHex(block.parentHash)) : block.parentID;
  return {
    container_form: envelope.form,
    container_parent_id: envelope.form === 'raw' ? parent : encodeCb58(envelope.parentId),
    proposer_timestamp: micros(proposed?.timestamp),
    p_chain_height: number(proposed?.pChainHeight),
    proposer_node_id: proposed?.certificate.length ? nodeIdOfCertificate(proposed.certificate) : null,
    is_signed: Boolean(proposed?.signature.length),
    epoch_p_chain_height: number(proposed?.epoch?.pChainHeight),
    epoch_number: number(proposed?.epoch?.number),
    epoch_start_time: micros(proposed?.epoch?.startTime),
    size: envelope.inner.length,
    ...(chain === 'P' && { block_type: decodePBlock(envelope.inner).type }),
    ...(chain === 'X' && { block_type: 'StandardBlock', merkle_root: block.merkleRoot }),
  };
}

/** The rows of one block by table. */
const expectedOf = ({ chain, bytes, txs, block }: Case): Readonly<Record<string, Recorded[]>> => ({
  blocks: [blockOf({ chain, bytes, txs, block })],
  [chain === 'C' ? 'atomic_transactions' : 'transactions']: txs.map((tx) => transactionOf(chain, tx, block)),
  inputs: txs.flatMap((tx) => inputsOf(tx, block)),
  outputs: txs.flatMap((tx) => outputsOf(tx, block)),
  ...(chain === 'P' && {
    staking: txs.flatMap((tx) => stakingOf(tx, block)),
    subnets: txs.flatMap((tx) => subnetsOf(tx, block)),
    blockchains: txs.flatMap((tx) => blockchainsOf(tx, block)),
    l1_validators: txs.flatMap((tx) => l1ValidatorsOf(tx, block)),
  }),
});

describe.each([...LEDGERS, codec])('%s', (ledger) => {
  const chains = ledger === codec ? (['P', 'X'] as const) : (['C', 'P', 'X'] as const);
  test.each(chains)('%s: every row has in every column what the JSON says', (chain) => {
    for (const one of some(casesOf(ledger, chain).filter(({ txs }) => txs.length > 0))) {
      const rows = decodedRows(`${chain}/block`, one.bytes);
      for (const [table, expected] of Object.entries(expectedOf(one))) expect(rows[table]).toMatchObject(expected);
    }
  });
});
