import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { catalogue } from '../../../pipelines/index.ts';
import type { Row } from '../../../src/core/columns/columnType.ts';
import { rawOf } from '../../../src/core/json/answerParts.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import type { NetworkFacts } from '../../../src/core/stream/network.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import { recordsIn } from '../../../src/core/stream/records.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { snakeCase } from '../../../src/core/text/snakeCase.ts';
import type { PageObjects } from '../../core/parse/objectsOf.ts';
import { parsed } from '../../core/parse/parsed.ts';
import { some } from '../../some.ts';
import { fullAnswers } from './fullRecords.ts';

const network: NetworkFacts = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };
const streams = catalogue.filter(({ source }) => source.name === 'data');
const streamOf = (id: string): Stream => {
  const stream = streams.find((candidate) => candidate.id === id);
  if (!stream) throw new Error(`no stream ${id}`);
  return stream;
};

function partitionOf(stream: Stream, parameters: object): Partition {
  const parsed = (stream.parameters as z.ZodType).parse(parameters);
  const [partition] = stream.partitions(parsed as never, network);
  if (!partition) throw new Error(`${stream.id} has no partition`);
  return partition;
}

function read(id: string, parameters: object, body: unknown): PageObjects {
  const stream = streamOf(id);
  const partition = partitionOf(stream, parameters);
  const records = 'records' in stream ? recordsIn(stream.records, body, partition, '') : [];
  return parsed(stream, partition, network, records);
}

/** The first answer of a stream with one record changed. */
function readChanged(id: string, change: (record: Record<string, unknown>) => void): PageObjects {
  const [answer] = fullAnswers[id] ?? [];
  const body = structuredClone(answer?.body) as Record<string, unknown>;
  const list = Object.values(body).find(Array.isArray) as Record<string, unknown>[] | undefined;
  const record = id === 'data/transaction_details' ? body : list?.[0];
  const native = record?.['nativeTransaction'] as Record<string, unknown> | undefined;
  change(native ?? record ?? {});
  return read(id, answer?.parameters ?? {}, body);
}

const fixture = (path: string) =>
  parseLossless(readFileSync(`test/fixtures/${path}`, 'utf8')) as Record<string, unknown>;

test('every stream of the data service has an answer that names every member', () => {
  expect(Object.keys(fullAnswers).sort()).toEqual(streams.map(({ id }) => id).sort());
});

describe.each(streams.map(({ id }) => id))('%s', (id) => {
  const answers = fullAnswers[id] ?? [];
  const pages = answers.map(({ parameters, body }) => read(id, parameters, body));

  test('keeps every documented member in a column, and nothing in _extra', () => {
    expect(pages.flatMap(({ quarantined }) => quarantined)).toEqual([]);
    expect(pages.flatMap(({ unknown }) => unknown)).toEqual([]);
    for (const page of some(pages)) {
      for (const rows of [page.rows, ...Object.values(page.children)]) {
        expect(rows.map((row) => row['_extra'] ?? null)).toEqual(rows.map(() => null));
      }
    }
  });

  test('fills every column of its tables', () => {
    const stream = streamOf(id);
    const tables: [string, { columns: readonly { name: string }[] }, Row[]][] = [
      [stream.table.name, stream.table, pages.flatMap(({ rows }) => rows)],
      ...Object.entries(stream.children).map(([name, { table }]): [string, typeof table, Row[]] => [
        table.name,
        table,
        pages.flatMap(({ children }) => children[name] ?? []),
      ]),
    ];
    for (const [name, table, rows] of some(tables)) {
      const empty = table.columns
        .map((column) => column.name)
        .filter((column) => !column.startsWith('_') && !column.endsWith('_text'))
        .filter((column) => rows.every((row) => row[column] === null || row[column] === undefined));
      // Members that only another ERC kind, or another stream with the same table shape, can have.
      const elsewhere = empty.filter((column) => !/metadata_(attributes|decimals|properties)$/.test(column));
      expect({ name, empty: elsewhere.filter((column) => !allowedEmpty(id, name, column)) }).toEqual({
        name,
        empty: [],
      });
    }
  });

  test('describes every column', () => {
    const stream = streamOf(id);
    const columns = [stream.table, ...Object.values(stream.children).map(({ table }) => table)].flatMap(
      (table) => table.columns,
    );
    expect(columns.filter(({ description }) => description.length < 4).map(({ name }) => name)).toEqual([]);
  });

  test('keeps an unknown member, and names it', () => {
    const page = readChanged(id, (record) => {
      record['futureMember'] = { list: [1, '2', null] };
    });
    expect(page.quarantined).toEqual([]);
    expect(page.rows[0]?.['_extra']).toBe('{"futureMember":{"list":[1,"2",null]}}');
    expect(page.unknown.map(({ member }) => member)).toEqual(['futureMember']);
  });

  test('takes null for every object and list, and sets nothing aside', () => {
    const page = readChanged(id, (record) => {
      for (const [name, value] of Object.entries(record))
        if (value !== null && typeof value === 'object') record[name] = null;
    });
    expect(page.quarantined).toEqual([]);
    expect(page.rows).toHaveLength(pages[0]?.rows.length ?? 0);
  });

  test('takes numbers for decimal text and text for numbers, and makes the same rows of them', () => {
    const swapped = (value: unknown): unknown => {
      if (typeof value === 'number' || typeof value === 'bigint') return String(value);
      if (typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)) return narrow(BigInt(value));
      if (Array.isArray(value)) return value.map(swapped);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, swapped(member)]));
    };
    // JSON kept as it came keeps its quotes too.
    const comparable = (rows: readonly Row[]) =>
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !/genesis_data|credentials$/.test(name))),
      );
    for (const [i, { parameters, body }] of some(answers.entries())) {
      const page = read(id, parameters, swapped(body));
      expect(page.quarantined).toEqual([]);
      expect(comparable(page.rows)).toEqual(comparable(pages[i]?.rows ?? []));
      for (const [name, rows] of Object.entries(page.children)) {
        expect(comparable(rows)).toEqual(comparable(pages[i]?.children[name] ?? []));
      }
    }
  });

  test('takes unknown words wherever a word stands', () => {
    const words = [
      'txType',
      'txStatus',
      'utxoType',
      'rewardType',
      'validationStatus',
      'delegationStatus',
      'status',
      'vmName',
      'ercType',
    ];
    const page = readChanged(id, (record) => {
      for (const word of words) if (typeof record[word] === 'string') record[word] = 'FUTURE_WORD';
    });
    expect(page.quarantined).toEqual([]);
  });

  test.each([['text'], [5], [null], [[]]])('sets %j aside where a record should be', (odd) => {
    const stream = streamOf(id);
    const partition = partitionOf(stream, answers[0]?.parameters ?? {});
    const page = parsed(stream, partition, network, [odd]);
    expect(page.rows).toEqual([]);
    expect(page.quarantined).toHaveLength(1);
  });

  const { key, columns, schema } = streamOf(id).table;
  const asked = partitionOf(streamOf(id), answers[0]?.parameters ?? {}).values;
  const isMember = (name: string) => camelCase(name) in schema.shape && !(name in asked);
  test.each(key.filter((name) => isMember(name) && columns.some((column) => column.name === name && !column.nullable)))(
    'sets a record without its key %s aside, with the reason',
    (column) => {
      const member = camelCase(column);
      const page = readChanged(id, (record) => {
        delete record[member];
      });
      expect(page.quarantined[0]?.reason).toMatch(new RegExp(`^${member}: expected .*, got nothing`));
    },
  );
});

function camelCase(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Members that an endpoint shares with another in one schema, but never has itself. */
function allowedEmpty(id: string, table: string, column: string): boolean {
  if (/_l1_validators$/.test(table)) return false;
  if (id === 'data/staking_transactions')
    return /^(asset_created_|chain_format$)|group_id$|payload$|credentials$/.test(column);
  if (/_amounts$|_evm_(in|out)puts$/.test(table)) return /credentials$/.test(column);
  if (/erc1155/.test(table)) return /_(name|symbol)$|owner_address$/.test(column);
  return false;
}

/** A record with a value in it. */
const merged = (record: unknown, [first, ...rest]: readonly string[], value: unknown): unknown =>
  first === undefined ? value : { ...rawOf(record), [first]: merged(rawOf(record)[first], rest, value) };

const narrow = (value: bigint) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value);

describe('extreme numbers', () => {
  test('2^256-1 keeps its digits', () => {
    const huge = String(2n ** 256n - 1n);
    const page = readChanged('data/token_transfers', (record) => {
      record['value'] = huge;
    });
    expect(page.rows[0]).toMatchObject({ value: null, value_text: huge });
    const nft = readChanged('data/nft_tokens', (record) => {
      record['tokenId'] = huge;
    });
    expect(nft.rows[0]).toMatchObject({ token_id: huge });
  });

  test('2^64-1 fits nonces, weights and lock times', () => {
    const huge = 2n ** 64n - 1n;
    const nonce = readChanged('data/latest_transactions', (record) => {
      record['nonce'] = String(huge);
    });
    expect(nonce.rows[0]?.['nonce']).toBe(huge);
    const lock = readChanged('data/utxos', (record) => {
      record['stakeableLocktime'] = huge;
    });
    expect(lock.rows[0]?.['stakeable_locktime']).toBe(huge);
  });

  test.each<[string, string, unknown, RegExp]>([
    ['data/latest_transactions', 'value', '1.5', /^value: expected an integer below 2\^256, got "1.5"/],
    ['data/latest_transactions', 'nonce', -1, /^nonce: /],
    ['data/latest_transactions', 'blockNumber', 'head', /^blockNumber: expected a signed 64-bit integer/],
    ['data/latest_transactions', 'txHash', 'not hex', /^txHash: expected hex text/],
    ['data/token_transfers', 'value', -1, /^value: expected an integer below 2\^256, got -1/],
    ['data/token_transfers', 'value', String(2n ** 256n), /^value: /],
    ['data/utxos', 'amount', 0.5, /^amount: /],
    ['data/validators', 'amountStaked', 'lots', /^amountStaked: /],
    ['data/validators', 'blsCredentials', 'none', /^blsCredentials: /],
    ['data/latest_transactions', 'blockTimestamp', 1_700_000_000_000, /^blockTimestamp: expected Unix seconds/],
  ])('%s sets aside %s = %j, whole and with the reason', (id, member, value, reason) => {
    const page = readChanged(id, (record) => {
      record[member] = value;
    });
    expect(page.quarantined[0]?.reason).toMatch(reason);
    expect(page.quarantined[0]?.record).toContain(JSON.stringify(value));
  });

  test.each([
    ['data/nft_tokens', 'metadata.decimals', '2147483648'],
    ['data/nft_tokens', 'metadata.decimals', '-1e30'],
    ['data/nft_tokens', 'metadata.decimals', '0.50'],
    ['data/nft_tokens', 'metadata.decimals', '"abc"'],
    ['data/nft_tokens', 'metadata.metadataLastUpdatedTimestamp', '1700000000000'],
    ['data/nft_tokens', 'metadata.attributes', '[{"trait_type":"a"}]'],
    ['data/nft_tokens', 'name', '{"en":"a"}'],
    ['data/nft_tokens', 'tokenUri', '["ipfs://1"]'],
    ['data/token_transfers', 'token.decimals', '1000000000000000000000000000000'],
    ['data/token_transfers', 'token.price.value', '"N/A"'],
    ['data/latest_transactions', 'from.decimals', '""'],
    ['data/chains', 'networkToken.decimals', '1e300'],
    ['data/chains', 'utilityAddresses.multicall', '"none"'],
    ['data/validators', 'geolocation.latitude', '"north"'],
    ['data/validators', 'avalancheGoVersion', '{"major":1}'],
    ['data/delegators', 'startTimestamp', '18446744073709551615'],
    ['data/primary_transactions', 'memo', '{"text":"a"}'],
    ['data/primary_transactions', 'assetCreated.denomination', '-1.5'],
  ])('%s: %s = %s leaves its column NULL and stays in _extra', (id, path, text) => {
    const members = path.split('.');
    const nested = (inside: string) => members.reduceRight((inner, member) => `{"${member}":${inner}}`, inside);
    const page = readChanged(id, (record) => {
      const [first = '', ...rest] = members;
      const own = first === 'token' ? 'erc20Token' : first;
      record[own] = merged(record[own], rest, parseLossless(text));
    });
    expect(page.quarantined).toEqual([]);
    expect(page.rows[0]?.['_extra']).toBe(nested(text));
    expect(page.unknown.map(({ member }) => member)).toEqual([`${path} (not taken)`]);
    const column = members.map(snakeCase).join('_').replace('metadata_last', 'last');
    expect(page.rows[0]?.[column]).toBeNull();
  });

  test('names with quotes, newlines, NUL, emoji and right-to-left marks stay as they are', () => {
    const name = `"'; DROP TABLE x; --\n\0🏔\u202eabc`;
    const page = readChanged('data/nft_tokens', (record) => {
      record['name'] = name;
    });
    expect(page.rows[0]?.['name']).toBe(name);
  });
});

describe('what differs between the specification and the real service', () => {
  test('addresses and hashes become lower case', () => {
    const page = readChanged('data/latest_transactions', (record) => {
      record['txHash'] = `0x${'C'.repeat(64)}`;
      record['from'] = { address: '0xAbCdEf' };
    });
    expect(page.rows[0]).toMatchObject({ tx_hash: `0x${'c'.repeat(64)}`, from_address: '0xabcdef' });
  });

  test('an estimated reward is an amount, or its digits', () => {
    for (const id of ['data/primary_transactions', 'data/pending_rewards']) {
      const page = readChanged(id, (record) => {
        record['estimatedReward'] = '12345678901234567890';
      });
      expect(page.rows[0]).toMatchObject({
        estimated_reward_amount: 12345678901234567890n,
        estimated_reward_asset_id: null,
      });
    }
  });

  test('amounts of a transaction are a list, one amount, or its digits', () => {
    const page = readChanged('data/primary_transactions', (record) => {
      record['amountBurned'] = { assetId: 'a', amount: '7' };
      record['value'] = '8';
    });
    expect(page.children['primary_transactions_amounts']).toMatchObject([
      { kind: 'value', amount: 8, asset_id: null },
      { kind: 'amountBurned', amount: 7, asset_id: 'a' },
      { kind: 'amountStaked' },
      { kind: 'amountL1ValidatorBalanceBurned' },
    ]);
  });

  test('a BLS proof is found under its misspelt name too', () => {
    const page = readChanged('data/validators', (record) => {
      record['blsCredentials'] = { publicKey: '0x01', proofOfPosession: '0x02' };
    });
    expect(page.rows[0]).toMatchObject({ bls_credentials_proof_of_possession: '0x02', _extra: null });
  });

  test('prices are numbers or text', () => {
    const rows = fullAnswers['data/transaction_details']?.map(
      ({ parameters, body }) => read('data/transaction_details', parameters, body).rows[0],
    );
    expect(rows?.[0]).toMatchObject({
      network_token_details_current_price_value: 42_420_000_000_000_000_000n,
      network_token_details_historical_price_value: 41_500_000_000_000_000_000n,
    });
  });

  test('genesis data is an object or text', () => {
    const page = readChanged('data/primary_transactions', (record) => {
      record['blockchainInfo'] = { genesisData: 'AAAA' };
    });
    expect(page.rows[0]?.['blockchain_info_genesis_data']).toBe('"AAAA"');
  });

  test("an answer of another chain's or network's is quarantined", () => {
    const records = [{ txHash: 'tx1', timestamp: 1 }];
    const parameters = { blockchainIds: ['x-chain'] };
    const right = { transactions: records, chainInfo: { chainName: 'x-chain', network: 'fuji' } };
    expect(read('data/primary_transactions', parameters, right).quarantined).toEqual([]);
    const chain = read('data/primary_transactions', parameters, {
      ...right,
      chainInfo: { chainName: 'p-chain', network: 'fuji' },
    });
    expect(chain.quarantined[0]?.reason).toBe('blockchain is p-chain, but x-chain was asked for');
    const long = read('data/primary_transactions', parameters, {
      ...right,
      chainInfo: { chainName: 'x'.repeat(10_000), network: 'fuji' },
    });
    expect(long.quarantined[0]?.reason).toBe(`blockchain is ${'x'.repeat(80)}, but x-chain was asked for`);
    const other = read('data/primary_transactions', parameters, {
      ...right,
      chainInfo: { chainName: 'x-chain', network: 'mainnet' },
    });
    expect(other.quarantined[0]?.reason).toBe('network is mainnet, but fuji was asked for');
  });

  test('a token of another contract than was asked for is quarantined', () => {
    const page = readChanged('data/nft_tokens', (record) => {
      record['address'] = `0x${'e'.repeat(40)}`;
    });
    expect(page.quarantined[0]?.reason).toMatch(/^address is 0xe+, but 0x4+ was asked for$/);
  });
});

describe('recorded answers', () => {
  test('of P-Chain UTXOs', () => {
    const page = read(
      'data/utxos',
      { blockchainIds: ['p-chain'], addresses: ['fuji19zfygxaf59stehzedhxjesads0p5jdvf4tfzns'] },
      fixture('data-api-recorded/pchain_utxos_mainnet.json'),
    );
    expect(page.quarantined).toEqual([]);
    expect(page.rows).toMatchObject([
      {
        utxo_id: '29TBrP58DXP1sN7XpMrB4wYqiyXqCFntTm6oLGjd9VHEVx5rfX',
        amount: 2883855455977,
        asset_id: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
        block_timestamp: 1759623439_000_000,
        consuming_block_number: 69780797,
        staked: false,
        _extra: null,
      },
    ]);
  });

  test('of pending rewards', () => {
    const page = read(
      'data/pending_rewards',
      { nodeIds: ['NodeID-DaKj4jkyyCN4B5zVW65krECqpjxYGUFzX'] },
      fixture('data-api-recorded/rewards_listPending_mainnet.json'),
    );
    expect(page.rows).toMatchObject([
      {
        reward_type: 'DELEGATOR',
        amount_staked: 701813645564,
        progress: 24_100_000_000_000_000n,
        estimated_reward_amount: 1585793298,
        _extra: null,
      },
    ]);
  });

  test.each(['base', 'export', 'import'])('of an X-Chain %s transaction', (kind) => {
    const record = fixture(`x-chain-recorded/x-chain-${kind}-tx-history-item.json`);
    const page = read('data/primary_transactions', { blockchainIds: ['x-chain'] }, { transactions: [record] });
    expect(page.quarantined).toEqual([]);
    expect(page.rows[0]).toMatchObject({
      tx_hash: record['txHash'],
      block_number: record['blockHeight'],
      chain_format: 'linear',
      _extra: null,
    });
    const consumed = record['consumedUtxos'] as Record<string, unknown>[];
    expect(page.children['primary_transactions_consumed_utxos']).toMatchObject(
      consumed.map(({ utxoId, creationTxHash, consumingTxHash, asset }) => ({
        utxo_id: utxoId,
        created_tx_hash: creationTxHash,
        consuming_tx_hash: consumingTxHash,
        amount: Number((asset as { amount: string }).amount),
        _extra: null,
      })),
    );
    expect(page.children['primary_transactions_emitted_utxos']).toHaveLength(
      (record['emittedUtxos'] as unknown[]).length,
    );
    expect(page.children['primary_transactions_amounts']?.map((row) => row['kind'])).toEqual([
      'amountUnlocked',
      'amountCreated',
    ]);
  });
});
