import { describe, expect, test } from 'vitest';
import { primaryNetworkId } from '../../../src/core/stream/network.ts';
import { decodeUtxo } from '../../../src/decode/avalanche/utxo.ts';
import { fromHex } from '../../../src/decode/bytes/hex.ts';
import { decodeHexChecksum } from '../../../src/decode/bytes/hexChecksum.ts';
import { encodeNodeId } from '../../../src/decode/bytes/nodeId.ts';
import type { ContainerIndex } from '../../../src/decode/containers/decodeContainer.ts';
import { some } from '../../some.ts';
import { decodedRows, integer } from '../decodedRows.ts';
import { LEDGERS, type Recorded, readChain, readJson, readLines, txsOf } from '../recordedLedger.ts';

const MAIN = LEDGERS[0] as string;
const rowsOf = (ledger: string, chain: 'c' | 'p' | 'x') =>
  readChain(ledger, chain).map((line) => {
    const index = `${chain.toUpperCase()}/block` as ContainerIndex;
    return decodedRows(index, decodeHexChecksum(line.container.bytes));
  });
const plain = (address: string) => address.slice(address.indexOf('-') + 1);

/** Unsigned transactions of the node's JSON with their ids, in the order of the P-Chain. */
const transactionsOf = (ledger: string): Recorded[] =>
  readChain(ledger, 'p').flatMap(({ json }) => txsOf(json.block).map((each) => ({ id: each.id, ...each.unsignedTx })));

describe('outputs less inputs', () => {
  const all = (['c', 'p', 'x'] as const).flatMap((chain) => rowsOf(MAIN, chain).map((rows) => ({ chain, rows })));
  const outputs = new Map<string, Recorded>(
    all.flatMap(({ rows }) => rows['outputs']).map((row) => [row.utxo_id, row]),
  );
  const spent = new Set(all.flatMap(({ rows }) => rows['inputs']).map((row) => row.utxo_id));
  const makers = new Map<string, { chain: string; type: string }>();
  for (const { chain, rows } of all) {
    for (const tx of rows['atomic_transactions'] ?? rows['transactions']) {
      makers.set(tx.tx_id, { chain: chain.toUpperCase(), type: tx.tx_type });
    }
  }
  const decode = (hex: string) => decodeUtxo(decodeHexChecksum(hex), 'local');
  const held = readLines(MAIN, 'final-state').filter(({ method }) => /\.getUTXOs$/.test(method));
  const finished = readLines(MAIN, 'p-rewards').filter((line) => line.finished);
  const rewards = new Set(finished.flatMap(({ result }) => result.utxos.map(decode)).map((utxo) => utxo.utxo_id));
  const returned = new Set(finished.map((line) => line.txID));

  test('are the UTXOs that the node holds in the end, with their owners and amounts', () => {
    let compared = 0;
    for (const utxo of some(held.flatMap(({ result }) => result.utxos.map(decode)))) {
      expect(spent.has(utxo.utxo_id)).toBe(false);
      const row = outputs.get(utxo.utxo_id);
      if (row) {
        const { amount, locktime, stakeable_locktime: lock } = utxo;
        expect(row).toMatchObject({
          ...utxo,
          amount: amount && integer(amount),
          locktime: integer(locktime),
          stakeable_locktime: lock && integer(lock),
        });
        compared++;
      } else {
        // UTXOs made by genesis, rewards and the end of an L1 validator stand in no transaction.
        const type = makers.get(utxo.tx_id)?.type ?? 'genesis';
        const ending = ['genesis', 'DisableL1ValidatorTx', 'SetL1ValidatorWeightTx'].includes(type);
        expect(ending || rewards.has(utxo.utxo_id)).toBe(true);
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('are none that the node does not hold', () => {
    const { chains } = readJson(`${MAIN}/manifest.json`);
    for (const { chain, params, result } of held) {
      const [{ addresses, sourceChain }] = [params].flat();
      const found = new Set(result.utxos.map((hex: string) => decode(hex).utxo_id));
      for (const row of outputs.values()) {
        if (row.utxo_id === null || spent.has(row.utxo_id)) continue;
        if (row.destination_chain_id !== chains[chain].blockchainID) continue;
        if (!addresses.some((address: string) => row.addresses.includes(plain(address)))) continue;
        // An export waits in the memory that the two chains share, staked funds in the transaction.
        const origin = row.destination === 'exported' ? makers.get(row.tx_id)?.chain : undefined;
        const staked = row.destination === 'stake' && !returned.has(row.tx_id);
        expect(found.has(row.utxo_id)).toBe(origin === sourceChain && !staked);
      }
    }
  });
});

describe.each(LEDGERS)('the P-Chain of %s', (ledger) => {
  const rows = rowsOf(ledger, 'p');
  const txs = transactionsOf(ledger);

  test('keeps in details what only one type of transaction has', () => {
    const shared = [
      'id',
      'networkID',
      'blockchainID',
      'outputs',
      'inputs',
      'memo',
      'stake',
      'importedInputs',
      'exportedOutputs',
    ];
    const found = rows.flatMap(({ transactions }): Recorded[] => transactions);
    for (const [at, tx] of some(txs.entries())) {
      const own = Object.entries(tx).filter(([name]) => !shared.includes(name));
      const { details, tx_type: type } = found[at] as (typeof found)[number];
      if (['BaseTx', 'ImportTx', 'ExportTx'].includes(type)) expect(details).toBeNull();
      else expect(JSON.parse(details ?? '')).toEqual(JSON.parse(numbersOf(Object.fromEntries(own))));
    }
  });

  test('tells of subnets and blockchains what the node tells', () => {
    const told = (tx: Recorded, id: string) => {
      const { subnetID: subnet_id } = tx;
      if ('owner' in tx) return { subnet_id: id, event: 'created', ...ownerColumns('owner', tx.owner) };
      if ('newOwner' in tx) return { subnet_id, event: 'transferred', ...ownerColumns('owner', tx.newOwner) };
      if ('initialSupply' in tx) return { subnet_id, event: 'transformed', asset_id: tx.assetID };
      if ('validators' in tx)
        return { subnet_id, event: 'converted', manager_chain_id: tx.chainID, manager_address: tx.address };
      if ('vmID' in tx) return { subnet_id, chain_name: tx.chainName, vm_id: tx.vmID, fx_ids: tx.fxIDs };
      return undefined;
    };
    const transactions = rows.flatMap((block): Recorded[] => block['transactions']);
    const expected = txs.flatMap((tx, at) => told(tx, transactions[at]?.tx_id) ?? []);
    const found = rows.flatMap((block): Recorded[] => [...block['subnets'], ...block['blockchains']]);
    expect(found).toMatchObject(some(expected));
  });

  test('tells of transactions and stakings what the node tells', () => {
    const transactions = rows.flatMap((block): Recorded[] => block['transactions']);
    const stakings = new Map(rows.flatMap((block): Recorded[] => block['staking']).map((row) => [row.tx_id, row]));
    const isAlone = readChain(ledger, 'p').flatMap(({ json: { block } }) => [
      ...(block.txs ?? []).map(() => false),
      ...(block.tx ? [true] : []),
    ]);
    for (const [at, tx] of some(txs.entries())) {
      const { tx_id: id, tx_type: type, ...own } = transactions[at] as Recorded;
      const { validator, rewardsOwner, validationRewardsOwner: reward = rewardsOwner } = tx;
      const about = {
        subnet_id: validator?.subnetID ?? tx.subnetID ?? (validator ? primaryNetworkId : null),
        node_id: validator?.nodeID ?? tx.nodeID ?? null,
      };
      expect(own, type).toMatchObject({
        ...about,
        is_proposal: isAlone[at] && !['ImportTx', 'ExportTx'].includes(type),
        staking_tx_id: tx.txID ?? null,
        chain_time: tx.time === undefined ? null : Number(tx.time) * 1e6,
      });
      expect(stakings.has(id), type).toBe(validator !== undefined);
      if (!validator) continue;
      expect(stakings.get(id), type).toMatchObject({
        ...about,
        role: type.includes('Delegator') ? 'delegator' : 'validator',
        start_time: Number(validator.start) * 1e6,
        end_time: Number(validator.end) * 1e6,
        weight: integer(validator.weight),
        stake_amount: stakedIn(tx),
        delegation_shares: tx.shares ?? null,
        bls_public_key: tx.signer?.publicKey ?? null,
        bls_proof_of_possession: tx.signer?.proofOfPossession ?? null,
        ...ownerColumns('reward', reward),
        ...ownerColumns('delegation_reward', type === 'AddValidatorTx' ? reward : tx.delegationRewardsOwner),
      });
    }
  });
});

test('tells of auto-renewed stakings what the node tells; no recording has any', () => {
  const found: string[] = [];
  for (const { bytes, json } of readLines('test/fixtures/avalanchego-codec', 'p-blocks')) {
    const txs = txsOf(json);
    const isOf = ({ unsignedTx: tx }: Recorded) => 'validatorAuthority' in tx || ('txID' in tx && 'timestamp' in tx);
    if (!txs.some(isOf)) continue;
    const { transactions, staking } = decodedRows('P/block', decodeHexChecksum(bytes));
    for (const [at, { unsignedTx: tx }] of txs.entries()) {
      const { tx_id: id, tx_type: type, chain_time } = transactions[at];
      found.push(type);
      if (type === 'RewardAutoRenewedValidatorTx') expect(chain_time).toBe(integer(BigInt(tx.timestamp) * 1_000_000n));
      if (type !== 'AddAutoRenewedValidatorTx') continue;
      const { validatorAuthority: authority } = tx;
      expect(staking.find((row: Recorded) => row.tx_id === id)).toMatchObject({
        node_id: encodeNodeId(fromHex(tx.nodeID)),
        weight: stakedIn(tx),
        stake_amount: stakedIn(tx),
        delegation_shares: tx.delegationShares,
        period: integer(tx.period),
        auto_compound_reward_shares: tx.autoCompoundRewardShares,
        authority_addresses: authority.addresses.map(plain),
        authority_threshold: authority.threshold,
        ...ownerColumns('reward', tx.validationRewardsOwner),
        ...ownerColumns('delegation_reward', tx.delegationRewardsOwner),
      });
    }
  }
  expect(found).toContain('AddAutoRenewedValidatorTx');
  expect(found).toContain('RewardAutoRenewedValidatorTx');
});

test('tells of X-Chain transactions what the node tells, and of each input the signatures of its own credential', () => {
  let compared = 0;
  for (const { bytes, json } of readLines('test/fixtures/avalanchego-codec', 'x-blocks')) {
    const { transactions, inputs } = decodedRows('X/block', decodeHexChecksum(bytes));
    for (const [at, { unsignedTx: tx, credentials }] of ((json.txs ?? []) as Recorded[]).entries()) {
      expect(transactions[at]).toMatchObject({
        network_id: tx.networkID,
        blockchain_id: tx.blockchainID,
        memo: tx.memo,
        source_chain_id: tx.sourceChain ?? null,
        destination_chain_id: tx.destinationChain ?? null,
        asset_name: tx.name ?? null,
        asset_symbol: tx.symbol ?? null,
        asset_denomination: tx.denomination ?? null,
      });
      const own = inputs.filter((row: Recorded) => row.tx_id === transactions[at].tx_id);
      const operated = (tx.operations ?? []).flatMap(({ inputIDs }: Recorded, nth: number) =>
        inputIDs.map(() => tx.inputs.length + nth),
      );
      const places = [...[...tx.inputs, ...(tx.importedInputs ?? [])].keys(), ...operated];
      expect(own.map((row: Recorded) => row.signatures)).toEqual(
        places.map((place) => credentials[place]?.credential.signatures ?? []),
      );
      compared += operated.length;
    }
  }
  expect(compared).toBeGreaterThan(0);
});

/** What a transaction stakes, in all. */
const stakedIn = ({ stake = [] }: Recorded) =>
  integer(
    stake.reduce((sum: bigint, { output }: Recorded) => sum + BigInt(output.output?.amount ?? output.amount), 0n),
  );

const ownerColumns = (name: string, owner: Recorded | undefined) => ({
  [`${name}_addresses`]: owner?.addresses.map(plain) ?? null,
  [`${name}_threshold`]: owner?.threshold ?? null,
  [`${name}_locktime`]: owner ? integer(owner.locktime) : null,
});

const numbersOf = (value: unknown) =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each));

describe('L1 validators', () => {
  const events = rowsOf(MAIN, 'p').flatMap((rows): Recorded[] => rows['l1_validators']);

  test('have the validation ids that the node gives them', () => {
    const known = readLines(MAIN, 'snapshots')
      .filter(
        ({ method, body }) => method === 'platform.getCurrentValidators' && body.includes('remainingBalanceOwner'),
      )
      .flatMap(({ body }) => JSON.parse(body).result.validators as Recorded[])
      .filter((validator) => validator.remainingBalanceOwner);
    const started = new Map(events.filter((row) => row.subnet_id !== null).map((row) => [row.validation_id, row]));
    expect(known.length).toBeGreaterThan(0);
    for (const validator of some(known)) {
      expect(started.get(validator.validationID)).toMatchObject({
        node_id: validator.nodeID,
        bls_public_key: validator.publicKey,
        remaining_balance_addresses: validator.remainingBalanceOwner.addresses.map(plain),
        deactivation_addresses: validator.deactivationOwner.addresses.map(plain),
      });
    }
    expect([...new Set(known.map((validator) => validator.validationID))].sort()).toEqual([...started.keys()].sort());
  });

  test('have the weights and balances that the node tells', () => {
    const told = transactionsOf(MAIN).flatMap((tx): Recorded[] => {
      const { validationID, subnetID: subnet_id, balance } = tx;
      if ('validators' in tx)
        return tx.validators.map(({ weight, balance: own }: Recorded) => {
          return { event: 'converted', subnet_id, weight: integer(weight), balance: integer(own) };
        });
      if ('message' in tx)
        return [balance === undefined ? { event: 'weight_set' } : { event: 'registered', balance: integer(balance) }];
      if (validationID === undefined) return [];
      return [
        balance === undefined ? { event: 'disabled' } : { event: 'balance_increased', balance: integer(balance) },
      ];
    });
    expect(events).toMatchObject(told);
  });

  test('live through every kind of event', () => {
    const kinds = events.map((row) => row.event);
    expect(kinds.toSorted()).toEqual([
      ...['balance_increased', 'balance_increased', 'balance_increased'],
      ...['converted', 'converted', 'converted', 'disabled', 'registered', 'weight_set', 'weight_set'],
    ]);
    const ids = new Set(events.filter((row) => row.subnet_id !== null).map((row) => row.validation_id));
    for (const row of some(events)) expect(ids.has(row.validation_id)).toBe(true);
    expect(events.filter((row) => row.event === 'weight_set').map((row) => [row.nonce, row.weight])).toMatchObject([
      [expect.any(Number), expect.any(Number)],
      [expect.any(Number), expect.any(Number)],
    ]);
  });
});
