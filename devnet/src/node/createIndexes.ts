import type { Faults } from '../faults.ts';
import type { Ledger } from '../types.ts';
import type { Methods } from './args.ts';
import { createIndexService, type IndexedContainer } from './indexService.ts';
import { type Gaps, inGaps, type NodeSettings } from './nodeSettings.ts';

const names = ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'];

/** The container indexes by name; undefined for one that no node has. An index is counted anew when its gaps change. */
export function createIndexes(
  ledger: Ledger,
  settings: () => NodeSettings,
  faults: Faults,
): (name: string) => Methods | undefined {
  const known = new Map<string, { readonly gaps: Gaps; readonly methods: Methods }>();
  return (name) => {
    if (!names.includes(name)) return undefined;
    const { gaps } = settings();
    const same = known.get(name);
    if (same?.gaps === gaps) return same.methods;
    const methods = createIndexService(name, containersOf(ledger, name, gaps), faults, () => settings().seedShapes);
    known.set(name, { gaps, methods });
    return methods;
  };
}

function containersOf({ c, p, x }: Ledger, name: string, gaps: Gaps): IndexedContainer[] {
  const blocks = { 'C/block': c.blocks, 'P/block': p.blocks, 'X/block': x.blocks }[name] ?? [];
  return blocks.flatMap(({ visibleAt, container }, height) =>
    container === null || inGaps(gaps[name], height) ? [] : [{ visibleAt, container }],
  );
}
