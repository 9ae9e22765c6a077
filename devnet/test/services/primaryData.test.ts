import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByteReader } from '../../src/codec/byteReader.ts';
import { fromCheckedHex } from '../../src/codec/bytes.ts';
import { decodeUtxo } from '../../src/codec/decodeOutput.ts';
import { readLedger } from '../../src/readLedger.ts';
import { type Harness, harness, type Json, packedLedger } from './servicesHarness.ts';

let services: Harness;
let ids: { P: string; X: string; C: string };

beforeAll(async () => {
  services = harness(await packedLedger());
  const { p, x, c } = services.ledger;
  ids = { P: p.blockchainId, X: x.blockchainId, C: c.blockchainId };
});
beforeEach(() => {
  services.head = services.ledger.lastMoment;
});

const on = (chain: string): string => `/v1/networks/fuji/blockchains/${chain}`;
const bare = (address: string): string => address.replace(/^[PX]-/, '');

/** Outputs as text that holds everything a node says of them, in an order of their own. */
function told(utxos: readonly string[]): string[] {
  return utxos
    .map((hex) => {
      const { txId, outputIndex, output } = decodeUtxo(new ByteReader(fromCheckedHex(hex)), 'local');
      const locked = output.stakeableLocktime || output.locktime;
      return `${txId}:${outputIndex} ${output.assetId} ${output.amount} ${output.addresses.join()} ${output.threshold} ${locked}`;
    })
    .sort();
}

function toldByService(row: Json): string {
  const locked = row.stakeableLocktime ?? row.platformLocktime ?? row.locktime ?? 0;
  const { assetId, amount } = row.asset;
  return `${row.txHash ?? row.creationTxHash}:${row.outputIndex} ${assetId} ${amount} ${row.addresses.join()} ${row.threshold} ${locked}`;
}

describe('unspent outputs equal what the node answered', () => {
  const lists = new Map<string, Json[]>();
  const everybody = (): string =>
    Object.keys((services.ledger.manifest as Json).roles)
      .filter((one) => one.startsWith('P-'))
      .join();

  /** Shows every output of which the address is one owner, as the node does: multisig ones need more addresses. */
  function served(chain: 'P' | 'X', address: string, source: string | undefined): string[] {
    const moment = `${chain} ${services.head}`;
    const rows =
      lists.get(moment) ?? services.all(`${on(ids[chain])}/utxos?pageSize=1024`, 'utxos', { addresses: everybody() });
    lists.set(moment, rows);
    const createdOn = source === undefined ? ids[chain] : ids[source as 'P' | 'X' | 'C'];
    return rows
      .filter((row) => row.consumedOnChainId === ids[chain] && row.createdOnChainId === createdOn && !row.staked)
      .filter((row) => row.addresses.includes(bare(address)))
      .map(toldByService)
      .sort();
  }

  test('at the end of the history, for every account and source chain', { tags: 'long' }, () => {
    let outputs = 0;
    for (const { chain, method, params, result } of services.ledger.finalState) {
      const { addresses, sourceChain } = params as Json;
      if (!method.endsWith('.getUTXOs') || sourceChain === chain) continue;
      const { utxos } = JSON.parse(result ?? '{}');
      expect(served(chain as 'P' | 'X', addresses[0], sourceChain), `${method} ${JSON.stringify(params)}`).toEqual(
        told(utxos),
      );
      outputs += utxos.length;
    }
    expect(outputs).toBeGreaterThan(500);
  });

  test('at every moment they were asked for along the way', { tags: 'long' }, () => {
    let asked = 0;
    for (const { method, params, status, body, takenAt } of services.ledger.snapshots) {
      const { addresses, sourceChain, limit } = params as Json;
      const chain = method === 'platform.getUTXOs' ? 'P' : method === 'avm.getUTXOs' ? 'X' : null;
      if (chain === null || status !== 200 || sourceChain === chain || addresses.length > 1) continue;
      const { utxos } = JSON.parse(body).result ?? {};
      if (utxos === undefined || utxos.length >= limit) continue;
      services.head = takenAt;
      expect(served(chain, addresses[0], sourceChain), `${method} ${JSON.stringify(params)}`).toEqual(told(utxos));
      asked++;
    }
    expect(asked).toBeGreaterThan(50);
  });

  test('with balances and stakes that add up', () => {
    for (const { chain, method, params, result } of services.ledger.finalState) {
      if (method !== 'platform.getBalance' && method !== 'platform.getStake') continue;
      const [address] = (params as Json).addresses;
      const rows = services.all(`${on(chain === 'P' ? ids.P : ids.X)}/utxos?pageSize=1024`, 'utxos', {
        addresses: address,
      });
      const isStake = method === 'platform.getStake';
      const own = rows.filter(
        (row) => row.consumedOnChainId === ids.P && row.createdOnChainId === ids.P && row.staked === isStake,
      );
      const sum = own.reduce((so, { amount }) => so + BigInt(amount), 0n);
      const answer = JSON.parse(result ?? '{}');
      // getBalance counts only what one signature can spend, as a list for one address does.
      expect(String(sum), `${method} ${address}`).toBe(isStake ? answer.staked : answer.balance);
    }
  });
});

describe('requests for outputs', () => {
  const owner = 'P-local1s504mp2q7n5f3wfnagu5zae79ztj67delz2eq0';

  test('need addresses, of any chain and with or without its letter', () => {
    expect(services.post(`${on('p-chain')}/utxos`, {}).json.message).toEqual(['addresses must be a string']);
    expect(services.post(`${on('p-chain')}/utxos`, { addresses: ' , ' }).status).toBe(400);
    expect(services.post(`${on('p-chain')}/utxos`, { addresses: 'P-local1nonsense' }).status).toBe(400);
    const rows = (addresses: string): Json => services.post(`${on('p-chain')}/utxos`, { addresses }).json.utxos;
    expect(rows(owner)).toHaveLength(10);
    expect(rows(owner.replace('P-', 'X-'))).toEqual(rows(owner));
    expect(rows(bare(owner))).toEqual(rows(owner));
  });

  test('can be filtered by amount and asset, and sorted', () => {
    const url = `${on('x-chain')}/utxos?pageSize=1024`;
    const body = { addresses: owner };
    const all = services.all(url, 'utxos', body);
    const amounts = services.all(`${url}&sortBy=amount`, 'utxos', body).map(({ asset }) => BigInt(asset.amount));
    expect(amounts).toEqual(all.map(({ asset }) => BigInt(asset.amount)).sort((a, b) => (a < b ? 1 : -1)));
    expect(
      services.all(`${url}&sortBy=amount&sortOrder=asc`, 'utxos', body).map(({ asset }) => BigInt(asset.amount)),
    ).toEqual(amounts.reverse());
    expect(services.all(`${url}&minUtxoAmount=1000000000`, 'utxos', body)).toEqual(
      all.filter(({ asset }) => Number(asset.amount) >= 1e9),
    );
    const { assetId } = all.find(({ asset }) => asset.symbol === 'LAB').asset;
    expect(services.all(`${url}&assetId=${assetId}`, 'utxos', body)).toEqual(
      all.filter(({ asset }) => asset.assetId === assetId),
    );
    expect(services.post(`${on('p-chain')}/utxos?assetId=${assetId}`, body).status).toBe(400);
    expect(services.post(`${url}&includeSpent=perhaps`, body).status).toBe(400);
    expect(services.post(`${on('p-chain')}/utxos?pageSize=1025`, body).status).toBe(400);
  });

  test('show spent ones when asked to, after the unspent', () => {
    const url = `${on('p-chain')}/utxos?pageSize=1024`;
    const unspent = services.all(url, 'utxos', { addresses: owner });
    const all = services.all(`${url}&includeSpent=true`, 'utxos', { addresses: owner });
    expect(all.slice(0, unspent.length)).toEqual(unspent);
    expect(all.length).toBeGreaterThan(unspent.length);
    for (const row of all.slice(unspent.length)) expect(row.consumingTxHash).toMatch(/\w+/);
  });

  test('show an output of two owners only to as many as must sign', () => {
    const rows = services.all(`${on('p-chain')}/transactions?pageSize=100`, 'transactions');
    const shared = rows.flatMap(({ emittedUtxos }) => emittedUtxos).find(({ threshold }) => threshold === 2);
    const list = (addresses: string[]): string[] =>
      services
        .all(`${on('p-chain')}/utxos?pageSize=1024&includeSpent=true`, 'utxos', { addresses: addresses.join() })
        .map(({ utxoId }) => utxoId);
    expect(list(shared.addresses.slice(0, 1))).not.toContain(shared.utxoId);
    expect(list(shared.addresses.slice(0, 2))).toContain(shared.utxoId);
  });
});

describe('transactions', () => {
  test.each([
    ['p-chain', 'P'],
    ['x-chain', 'X'],
  ] as const)('of the %s are those of its blocks', (alias, chain) => {
    const rows = services.all(`${on(alias)}/transactions?pageSize=100`, 'transactions');
    const blocks = (chain === 'P' ? services.ledger.p : services.ledger.x).blocks;
    expect(rows.map(({ txHash }) => txHash).sort()).toEqual(blocks.flatMap(({ txs }) => [...txs.keys()]).sort());
    const heights = rows.map(({ blockNumber, blockHeight }) => Number(blockNumber ?? blockHeight));
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
    for (const { consumedUtxos, emittedUtxos, amountBurned, amountL1ValidatorBalanceBurned, txType } of rows) {
      if (chain === 'X' || ['DisableL1ValidatorTx', 'SetL1ValidatorWeightTx', 'RewardValidatorTx'].includes(txType))
        continue;
      const sum = (list: Json[]): bigint => list.reduce((so, { amount }) => so + BigInt(amount), 0n);
      expect(sum(consumedUtxos) - sum(emittedUtxos)).toBe(sum(amountBurned));
      expect(sum(amountBurned) >= sum(amountL1ValidatorBalanceBurned)).toBe(true);
    }
  });

  test('of the C-Chain are its imports and exports, in their own shape', () => {
    const { json } = services.get(`${on(ids.C)}/transactions?pageSize=100`);
    expect(json.transactions.map(({ txHash }: Json) => txHash).sort()).toEqual(
      [...services.ledger.atomicTxs.keys()].sort(),
    );
    expect(json.chainInfo).toEqual({ chainName: 'c-chain', network: 'fuji' });
    for (const row of json.transactions) {
      expect(Object.keys(row)).toEqual(
        expect.arrayContaining(
          row.txType === 'ImportTx' ? ['consumedUtxos', 'evmOutputs'] : ['evmInputs', 'emittedUtxos'],
        ),
      );
    }
    const exported = json.transactions.find(({ txType }: Json) => txType === 'ExportTx');
    const { fromAddress } = exported.evmInputs[0];
    const own = services.all(`${on('c-chain')}/transactions?addresses=${fromAddress}`, 'transactions');
    expect(own.map(({ txHash }) => txHash)).toContain(exported.txHash);
  });

  test('name every kind there is', () => {
    const kinds = new Set(
      services.all(`${on('p-chain')}/transactions?pageSize=100`, 'transactions').map(({ txType }) => txType),
    );
    expect([...kinds].sort()).toEqual([
      'AddPermissionlessDelegatorTx',
      'AddPermissionlessValidatorTx',
      'AddSubnetValidatorTx',
      'BaseTx',
      'ConvertSubnetToL1Tx',
      'CreateChainTx',
      'CreateSubnetTx',
      'DisableL1ValidatorTx',
      'ExportTx',
      'ImportTx',
      'IncreaseL1ValidatorBalanceTx',
      'RegisterL1ValidatorTx',
      'RemoveSubnetValidatorTx',
      'RewardValidatorTx',
      'SetL1ValidatorWeightTx',
      'TransferSubnetOwnershipTx',
    ]);
  });

  test('carry the keys that signed for an input', () => {
    const [row] = services.get(`${on('x-chain')}/transactions?pageSize=1`).json.transactions;
    const [{ publicKey, signature }] = row.consumedUtxos[0].credentials;
    expect(Buffer.from(publicKey, 'base64')).toHaveLength(33);
    expect(Buffer.from(signature, 'base64')).toHaveLength(65);
  });

  test('can be asked for by address, kind and time, but not by kind or time alone', () => {
    const url = `${on('p-chain')}/transactions?pageSize=100`;
    const owner = 'local1s504mp2q7n5f3wfnagu5zae79ztj67delz2eq0';
    const own = services.all(`${url}&addresses=P-${owner}`, 'transactions');
    const all = services.all(url, 'transactions');
    const touches = (row: Json): boolean =>
      [...row.consumedUtxos, ...row.emittedUtxos].some(({ addresses }) => addresses.includes(owner)) ||
      (row.startTimestamp !== undefined && (row.rewardAddresses ?? []).includes(owner));
    expect(own).toEqual(all.filter(touches));
    const kinds = ['CreateSubnetTx', 'AddPermissionlessValidatorTx'];
    const repeated = kinds.map((kind) => `&txTypes=${kind}`).join('');
    expect(services.all(`${url}&addresses=${owner}${repeated}`, 'transactions')).toEqual(
      own.filter(({ txType }) => kinds.includes(txType)),
    );
    // Only addresses, nodeIds and rewardAddresses are one text with commas.
    const refused = services.get(`${url}&addresses=${owner}&txTypes=${kinds.join()}`);
    expect(refused.status).toBe(400);
    expect(refused.json.message).toEqual([expect.stringMatching(/^each value in txTypes must be one of/)]);
    expect(
      services.all(`${url}&addresses=${owner}&txTypes=CreateSubnetTx&txTypes=ExportTx`, 'transactions').length,
    ).toBeGreaterThan(0);
    const time = own[20].blockTimestamp;
    expect(services.all(`${url}&addresses=${owner}&startTimestamp=${time}`, 'transactions')).toEqual(
      own.filter(({ blockTimestamp }) => blockTimestamp >= time),
    );
    expect(services.all(`${url}&addresses=${owner}&endTimestamp=${time}`, 'transactions')).toEqual(
      own.filter(({ blockTimestamp }) => blockTimestamp < time),
    );
    expect(services.get(`${url}&txTypes=BaseTx&startTimestamp=1`).json.message).toHaveLength(2);
    expect(services.get(`${url}&addresses=${owner}&txTypes=FutureTx`).status).toBe(400);
    expect(services.get(`${on('x-chain')}/transactions?l1ValidationId=x`).status).toBe(400);
  });

  test('of an address on the X-Chain show only its own outputs', () => {
    const owner = 'local1klkzc5pm5t9p2qxa54c67u02gzh8vn5e3fdjs3';
    for (const row of services.all(`${on('x-chain')}/transactions?pageSize=100&addresses=${owner}`, 'transactions')) {
      for (const { addresses } of [...row.consumedUtxos, ...row.emittedUtxos]) expect(addresses).toContain(owner);
    }
  });

  test('of an L1 validation tell its balance as the node did', () => {
    let compared = 0;
    for (const { method, params, status, body } of services.ledger.snapshots) {
      if (method !== 'platform.getL1Validator' || status !== 200) continue;
      const { result } = JSON.parse(body);
      if (result === undefined) continue;
      const rows = services.all(
        `${on('p-chain')}/transactions?l1ValidationId=${(params as Json).validationID}`,
        'transactions',
      );
      // Newest first: the first one at or below the height the node answered for.
      const last = rows.find(({ blockNumber }) => Number(blockNumber) <= Number(result.height));
      const [details] = last.l1ValidatorDetails.filter(
        ({ validationId }: Json) => validationId === (params as Json).validationID,
      );
      expect(details).toMatchObject({ nodeId: result.nodeID, subnetId: result.subnetID });
      expect(String(details.weight)).toBe(result.weight);
      const block = services.ledger.p.blocks.find(({ height }) => height === Number(result.height));
      const paid = JSON.parse(block?.json ?? '{}').block.time - last.blockTimestamp;
      expect(String(Math.max(0, details.remainingBalance - paid))).toBe(result.balance);
      compared++;
    }
    expect(compared).toBeGreaterThan(10);
  });

  test('fill a page with fewer rows where their outputs are many', { tags: 'long' }, async () => {
    const few = harness(await packedLedger(), { utxosPerPage: 30 });
    const url = `${on('p-chain')}/transactions?pageSize=100`;
    expect(few.get(url).json.transactions.length).toBeLessThan(20);
    expect(few.all(url, 'transactions')).toEqual(services.all(url, 'transactions'));
  });

  test('of mainnet are none, and other networks or chains do not exist', () => {
    expect(services.get('/v1/networks/mainnet/blockchains/p-chain/transactions').json).toMatchObject({
      transactions: [],
      chainInfo: { network: 'mainnet' },
    });
    expect(services.get('/v1/networks/moon/blockchains/p-chain/transactions').status).toBe(400);
    expect(services.get('/v1/networks/fuji/blockchains/q-chain/transactions').status).toBe(400);
  });
});

describe('staking transactions', () => {
  test('are those whose stake the node still shows', () => {
    const rows = services.all(`${on('p-chain')}/transactions:listStaking?pageSize=100`, 'transactions');
    const seen = services.ledger.snapshots
      .filter(
        ({ method, label, status }) => method === 'platform.getCurrentValidators' && label === 'end' && status === 200,
      )
      .flatMap(({ body }) => JSON.parse(body).result?.validators ?? [])
      .flatMap((validator: Json) => [validator.txID, ...(validator.delegators ?? []).map(({ txID }: Json) => txID)]);
    const known = new Set(services.ledger.p.blocks.flatMap(({ txs }) => [...txs.keys()]));
    expect(rows.map(({ txHash }) => txHash).sort()).toEqual([...new Set(seen)].filter((id) => known.has(id)).sort());
    expect(services.get(`${on('x-chain')}/transactions:listStaking`).status).toBe(400);
  });
});

describe('vertices', () => {
  const url = `${on('x-chain')}/vertices:listByHeight`;

  test('are generated, labelled so, and the same every time', () => {
    const { json, headers } = services.get(`${url}?vertexHeight=1`);
    expect(headers['x-devnet-generated']).toBe('vertices');
    expect(json.vertices.length).toBe(2);
    expect(services.get(`${url}?vertexHeight=1&sortOrder=asc`).json.vertices).toEqual(json.vertices.toReversed());
    expect(services.all(`${url}?vertexHeight=3&pageSize=100`, 'vertices').length).toBeGreaterThan(100);
    expect(services.get(`${url}?vertexHeight=99`).json.vertices).toEqual([]);
  });

  test('need a height and the X-Chain', () => {
    expect(services.get(url).status).toBe(400);
    expect(services.get(`${url}?vertexHeight=-1`).status).toBe(400);
    expect(services.get(`${on('p-chain')}/vertices:listByHeight?vertexHeight=1`).status).toBe(400);
  });

  test('bring their transactions with them when asked to', { tags: 'long' }, async () => {
    const more = harness(await packedLedger(), { nonLinearTransactions: true });
    const rows = more.all(`${on('x-chain')}/transactions?pageSize=100`, 'transactions');
    const old = rows.filter(({ chainFormat }) => chainFormat === 'non-linear');
    const [vertex] = more.get(`${url}?vertexHeight=2`).json.vertices;
    expect(old.map(({ txHash }) => txHash)).toContain(vertex.transactions[0]);
    expect(rows.length - old.length).toBe(
      services.all(`${on('x-chain')}/transactions?pageSize=100`, 'transactions').length,
    );
  });
});

test.each(['node-ledger-forks', 'node-ledger-signed'])('serves %s as well', async (name) => {
  const other = harness(await readLedger(new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname));
  for (const [alias, chain] of [
    ['p-chain', other.ledger.p],
    ['x-chain', other.ledger.x],
  ] as const) {
    const rows = other.all(`${on(alias)}/transactions?pageSize=100`, 'transactions');
    expect(rows.map(({ txHash }) => txHash).sort()).toEqual(chain.blocks.flatMap(({ txs }) => [...txs.keys()]).sort());
    expect(
      rows.every(({ txType, blockTimestamp, timestamp }) => txType !== 'UNKNOWN' && (blockTimestamp ?? timestamp) > 0),
    ).toBe(true);
  }
  expect(other.all(`${on('c-chain')}/transactions`, 'transactions')).toHaveLength(other.ledger.atomicTxs.size);
});

test('a transaction is given by its id as it is listed, once it is there', () => {
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    const [listed] = services.get(`${on(chain)}/transactions`).json.transactions as [Json];
    expect(services.get(`${on(chain)}/transactions/${listed.txHash}`).json).toEqual(listed);
    services.head = services.ledger.firstMoment;
    expect(services.get(`${on(chain)}/transactions/${listed.txHash}`).status).toBe(404);
    services.head = services.ledger.lastMoment;
  }
});
