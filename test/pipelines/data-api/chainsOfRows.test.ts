import { expect, test } from 'vitest';
import { evmRows, primaryRows } from '../../../pipelines/data-api/chainsOfRows.ts';
import type { ChainOfRows, Request } from '../../../src/index.ts';

const evm = { chain_id: '43114' };
const primary = { network: 'fuji', blockchain: 'p-chain' };

test.each<[string, ChainOfRows, Readonly<Record<string, string>>, object, string | null, string]>([
  [
    'an EVM chain, beside its transfers',
    evmRows,
    evm,
    { nativeTransaction: { txHash: 't', blockHash: '0xb' }, blockHash: 'another' },
    '0xb',
    '/v1/chains/43114/transactions/t',
  ],
  [
    'the P-Chain, by itself',
    primaryRows,
    primary,
    { txHash: 't', blockHash: 'b' },
    'b',
    '/v1/networks/fuji/blockchains/p-chain/transactions/t',
  ],
  [
    'a vertex, which is no block',
    primaryRows,
    primary,
    { txHash: 't' },
    null,
    '/v1/networks/fuji/blockchains/p-chain/transactions/t',
  ],
])('the block of a transaction of %s', (_, rows, values, body, block, path) => {
  const asking = rows.blockOf({ values }, 't');
  const request = asking.next().value as Extract<Request, { kind: 'get' }>;
  expect(request).toMatchObject({ kind: 'get', path });
  expect(() => request.check?.(body)).not.toThrow();
  expect(() => request.check?.({ txHash: 'another' })).toThrow('no transaction t');
  expect(asking.next({ body } as never)).toEqual({ done: true, value: block });
});
