import { expect, test } from 'vitest';
import { partitionLines } from '../../src/cli/runLine.ts';

const addresses = Array.from({ length: 5000 }, (_, n) => ({ stream: 'data/utxos', partition: `address=a${n}` }));
const blocks = { stream: 'node/evm_blocks', partition: 'chain_id=1', text: 'It is down.' };

test('of thousands of partitions that fail alike a line names a few, and says how many there are', () => {
  const [line, ...others] = partitionLines([...addresses.map((one) => ({ ...one, text: 'It is down.' })), blocks]);
  expect(line).toMatch(
    /^data\/utxos \(address=a0; .*address=a9; and 4,990 more\), node\/evm_blocks \(chain_id=1\): It is down\.$/,
  );
  expect(others).toEqual([]);
});

test('of thousands that fail for reasons of their own some have a line, and other streams theirs', () => {
  const lines = partitionLines([...addresses.map((one) => ({ ...one, text: `No ${one.partition}.` })), blocks]);
  expect(lines).toHaveLength(12);
  expect(lines.at(9)).toBe('data/utxos (address=a9): No address=a9.');
  expect(lines.slice(-2)).toEqual([
    'node/evm_blocks (chain_id=1): It is down.',
    'and 4,990 more: --json names them all',
  ]);
});
