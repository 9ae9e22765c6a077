import type { Faults } from '../faults.ts';
import type { Ledger } from '../types.ts';
import type { Methods } from './args.ts';
import { createIndexService, type IndexedContainer } from './indexService.ts';
import { type Gaps, inGaps } from './nodeSettings.ts';
import type { LiveSettings, Unindexed } from './watchSettings.ts';

const names = ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'];

/** The container indexes by name; undefined for one that no node has. An index is renumbered when what it lacks changes. */
export function createIndexes(
  ledger: Ledger,
  settings: LiveSettings,
  faults: Faults,
): (name: string) => Methods | undefined {
  const known = new Map<string, { readonly gaps: Gaps; readonly unindexed: Unindexed; readonly methods: Methods }>();
  return (name) => {
    if (!names.includes(name)) return undefined;
    const { gaps } = settings.now();
    const unindexed = settings.unindexed();
    const same = known.get(name);
    if (same?.gaps === gaps && same.unindexed === unindexed) return same.methods;
    const containers = containersOf(ledger, name).filter(
      ({ visibleAt, height }) =>
        !inGaps(gaps[name], height) && !unindexed.some(([from, to]) => visibleAt > from && visibleAt <= to),
    );
    const methods = createIndexService(name, containers, faults, () => settings.now().seedShapes);
    known.set(name, { gaps, unindexed, methods });
    return methods;
  };
}

function containersOf({ c, p, x }: Ledger, name: string): (IndexedContainer & { readonly height: number })[] {
  const blocks = { 'C/block': c.blocks, 'P/block': p.blocks, 'X/block': x.blocks }[name] ?? [];
  return blocks.flatMap(({ visibleAt, container }, height) =>
    container === null ? [] : [{ visibleAt, container, height }],
  );
}
