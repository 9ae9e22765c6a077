import fc from 'fast-check';
import { test } from 'vitest';
import { decodedRows } from '../decode/decodedRows.ts';
import { drawnHistory } from './primaryOracle/drawnHistory.ts';
test('x', () => {
  const counts: Record<string, number> = {};
  const t = Date.now();
  for (const h of fc.sample(drawnHistory, { numRuns: 300, seed: 1 })) {
    for (const c of h) {
      for (const x of c.txs) { counts[c.index + ' ' + x.type] = (counts[c.index + ' ' + x.type] ?? 0) + 1; for (const e of x.l1) counts[e.event] = (counts[e.event] ?? 0) + 1; if (x.taken.some((t)=>t.asLocked)) counts['locked']=(counts['locked']??0)+1; }
      counts[c.kind] = (counts[c.kind] ?? 0) + 1;
      const d = decodedRows(c.index, c.bytes);
      if (d.id !== c.id) throw new Error(`${c.index} ${c.kind} ${d.id} ${c.id}`);
    }
  }
  console.log(counts, Date.now() - t);
});
