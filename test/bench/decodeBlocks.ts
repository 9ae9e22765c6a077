import { containers as containersStream } from '../../pipelines/node/containers.ts';
import { RowSet } from '../../src/core/rowSet.ts';
import type { RowColumn } from '../../src/core/rows.ts';
import type { ContainerTables } from '../../src/decode/containerTables.ts';
import { decodeContainer } from '../../src/decode/decodeContainer.ts';
import { decodeHexChecksum } from '../../src/decode/hexChecksum.ts';
import { recoverSenders } from '../../src/decode/recoverSenders.ts';
import { readLedger } from '../../src/devnet/readLedger.ts';

const rounds = 3;

/** Times a piece of work over items; the best of some rounds, since a decoder waits for nothing. */
function rateOf(items: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    work();
    best = Math.min(best, (performance.now() - begun) / 1000);
  }
  return items / best;
}

/** From the hex of a container to the rows of its block, on the embedded ledger. */
export async function benchDecoding(print: (line: string) => void): Promise<void> {
  const ledger = await readLedger();
  const containersOf = (blocks: readonly { container: { bytes: string } | null }[]) =>
    blocks.flatMap(({ container }) => (container ? [container.bytes] : []));
  const set = new RowSet(containersStream, { values: {} });
  const decode = (index: 'C/block' | 'P/block' | 'X/block', hex: string) =>
    decodeContainer({ index, bytes: decodeHexChecksum(hex), hrp: 'local' }, set.children as ContainerTables);
  const c = containersOf(ledger.c.blocks);
  const decodeAll = (index: Parameters<typeof decode>[0], containers: readonly string[]) => () => {
    set.clear();
    for (const hex of containers) decode(index, hex);
  };
  const plain = rateOf(c.length, decodeAll('C/block', c));
  const transactions = set.rowsOf('containers_c_transactions');
  const raw = transactions.column('raw') as RowColumn;
  const withSenders = rateOf(c.length, () => {
    decodeAll('C/block', c)();
    recoverSenders(Array.from({ length: transactions.length }, (_, row) => transactions.value(raw, row) as Uint8Array));
  });
  print(
    `decode of C blocks: ${Math.round(plain)} blocks/s, with sender recovery ${Math.round(withSenders)} blocks/s, ratio ${(withSenders / plain).toFixed(2)}`,
  );
  for (const [index, chain] of [
    ['P/block', ledger.p],
    ['X/block', ledger.x],
  ] as const) {
    const containers = containersOf(chain.blocks);
    decodeAll(index, containers)();
    const decoded = set.rowsOf(`containers_${chain.name.toLowerCase()}_transactions`).length;
    const rate = rateOf(decoded, decodeAll(index, containers));
    print(`decode of ${chain.name} transactions: ${Math.round(rate)} transactions/s (with their inputs and outputs)`);
  }
}
