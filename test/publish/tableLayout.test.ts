import { expect, test } from 'vitest';
import { tableLayout } from '../../src/publish/tableLayout.ts';

const columns = (...names: readonly string[]) =>
  names.map((text) => {
    const [name = '', type = '', constraint] = text.split(' ');
    return { name, type, nullable: constraint !== 'required', comment: null };
  });

test.each([
  [
    'chain and time',
    columns('chain_id VARCHAR', 'number BIGINT', 'block_time TIMESTAMP'),
    {
      chain: 'chain_id',
      by: { kind: 'time', column: 'block_time' },
      sort: ['chain_id', 'number', 'block_time'],
      range: 'number',
    },
  ],
  [
    'chain and height alone',
    columns('chain_id VARCHAR', 'number BIGINT', 'tx_index INTEGER', 'frame INTEGER'),
    {
      chain: 'chain_id',
      by: { kind: 'height', column: 'number' },
      sort: ['chain_id', 'number', 'tx_index', 'frame'],
      range: 'number',
    },
  ],
  [
    'a time that may be missing beside a height that may not',
    columns('chain_id VARCHAR required', 'number BIGINT required', 'block_timestamp TIMESTAMP'),
    { chain: 'chain_id', by: { kind: 'height', column: 'number' }, range: 'number' },
  ],
  [
    'an index',
    columns('index_name VARCHAR', 'index BIGINT', 'timestamp TIMESTAMP'),
    { chain: 'index_name', by: { kind: 'time' }, range: 'index' },
  ],
  [
    'metrics one after the other',
    columns('chain_id VARCHAR', 'metric VARCHAR', 'time_interval VARCHAR', 'bucket TIMESTAMP'),
    { sort: ['chain_id', 'metric', 'time_interval', 'bucket'], range: 'bucket' },
  ],
  [
    'time without chain',
    columns('timestamp TIMESTAMP'),
    { chain: undefined, by: { kind: 'time', column: 'timestamp' } },
  ],
  [
    'a snapshot',
    columns('chain_id VARCHAR', 'timestamp TIMESTAMP', '_valid_from TIMESTAMP', '_valid_to TIMESTAMP'),
    { chain: undefined, by: undefined },
  ],
  [
    'neither time nor height',
    columns('chain_id VARCHAR', 'name VARCHAR'),
    { chain: undefined, by: undefined, range: undefined },
  ],
  [
    'names with other types',
    columns('chain_id BIGINT', 'timestamp VARCHAR', 'number VARCHAR'),
    { chain: undefined, by: undefined },
  ],
])('%s', (_, given, expected) => {
  expect(tableLayout(given)).toMatchObject(expected);
});
