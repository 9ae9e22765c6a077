import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keccak256 } from '../../../src/decode/bytes/hashes.ts';
import { listRoot } from '../../../src/decode/evm/listRoot.ts';
import { rlpList, rlpString, rlpUint } from '../../../src/decode/evm/rlpWriter.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { LEDGERS, readChain } from '../recordedLedger.ts';

/** A trie built by inserting one value after the other, as the yellow paper tells it; keys are never the beginning of others. */
type Node = null | { path: number[]; value: Uint8Array } | { path: number[]; child: Node } | { children: Node[] };

function insert(node: Node, path: number[], value: Uint8Array): Node {
  if (node === null) return { path, value };
  if ('children' in node) {
    const [nibble = 0, ...rest] = path;
    return { children: node.children.map((child, i) => (i === nibble ? insert(child, rest, value) : child)) };
  }
  let shared = 0;
  while (shared < node.path.length && node.path[shared] === path[shared]) shared++;
  if ('child' in node && shared === node.path.length) {
    return { path: node.path, child: insert(node.child, path.slice(shared), value) };
  }
  const [nibble = 0, ...rest] = node.path.slice(shared);
  const kept: Node =
    'value' in node
      ? { path: rest, value: node.value }
      : rest.length > 0
        ? { path: rest, child: node.child }
        : node.child;
  const branch: Node = { children: Array.from({ length: 16 }, (_, i) => (i === nibble ? kept : null)) };
  const grown = insert(branch, path.slice(shared), value);
  return shared > 0 ? { path: path.slice(0, shared), child: grown } : grown;
}

function encode(node: Node): Buffer {
  if (node === null) return Buffer.of(0x80);
  if ('children' in node) return rlpList([...node.children.map(reference), Buffer.of(0x80)]);
  const flag = 'value' in node ? 2 : 0;
  const odd = node.path.length % 2 === 1;
  const digits = [odd ? [flag + 1] : [flag, 0], node.path].flat();
  const path = Buffer.from(digits.map((digit) => digit.toString(16)).join(''), 'hex');
  return rlpList([rlpString(path), 'value' in node ? rlpString(node.value) : reference(node.child)]);
}

function reference(node: Node): Buffer {
  const encoded = encode(node);
  return encoded.length < 32 ? encoded : rlpString(keccak256(encoded));
}

test('is the root of a trie into which the values are inserted one by one', () => {
  const values = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 300 });
  fc.assert(
    fc.property(values, (items) => {
      let trie: Node = null;
      items.forEach((value, i) => {
        const key = rlpUint(BigInt(i)).toString('hex');
        trie = insert(
          trie,
          [...key].map((digit) => Number.parseInt(digit, 16)),
          value,
        );
      });
      expect(listRoot(items).toString('hex')).toBe(keccak256(encode(trie)).toString('hex'));
    }),
    // From 513 values on keys share one nibble alone.
    { numRuns: fuzzRuns(100), examples: [[Array.from({ length: 600 }, (_, i) => Uint8Array.of(1, i & 255))]] },
  );
});

test('is that of every recorded block without transactions', () => {
  const empty = LEDGERS.flatMap((ledger) => readChain(ledger, 'c')).filter(
    ({ block }) => block.transactions.length === 0,
  );
  expect(empty.length).toBeGreaterThan(0);
  for (const { block } of empty) expect(`0x${listRoot([]).toString('hex')}`).toBe(block.transactionsRoot);
});
