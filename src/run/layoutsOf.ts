import type { Files, Layout, Layouts } from '../core/columns/layout.ts';
import type { Table } from '../core/columns/table.ts';
import { type Declared, rowTables } from '../core/stream/stream.ts';
import { hoursOf } from '../transform/changes/noteRebuilt.ts';
import type { Model } from '../transform/models/model.ts';

/** Tables of verdicts grow with the metrics that they judge. */
const verdicts: Layout = {
  chain: 'chain_id',
  by: { kind: 'time', column: 'bucket' },
  sort: ['chain_id', 'metric', 'time_interval', 'bucket'],
};

/** The layouts of all that is published, as streams and models declare them. */
export const layoutsOf = (catalogue: readonly Declared[], models: readonly Model[]): Layouts =>
  new Map([...catalogue.flatMap(streamLayouts), ...models.flatMap(modelLayouts), ['mart.reconciliation', verdicts]]);

function modelLayouts(model: Model): [string, Layout][] {
  const { name, files, keptAs } = model;
  return files
    ? [[name, { ...files, ...(keptAs.kind === 'view' && hoursOf(model) && { byHours: true as const }) }]]
    : [];
}

function streamLayouts({ table, children, revisions, files }: Declared): [string, Layout][] {
  const own = [table, ...(revisions ? [revisions] : [])].map((one): [string, Layout] => [
    one.name,
    layoutOf(one, files),
  ]);
  const inside = Object.values(children).map((child): [string, Layout] => {
    const isTimed = files?.time !== undefined && files.time === child.table.range;
    const layout = layoutOf(
      child.table,
      files && { ...(files.chain && { chain: files.chain }), ...(isTimed && files) },
    );
    return [child.table.name, files?.time && !isTimed ? { ...layout, timesOf: table.name } : layout];
  });
  const courses = rowTables({ table, children }).flatMap(({ volatile }): [string, Layout][] =>
    volatile ? [[volatile.daily.name, { ...layoutOf(volatile.daily, { time: 'day' }), ofReads: true }]] : [],
  );
  return [...own, ...inside, ...courses];
}

function layoutOf({ key, range, columns }: Table, files: Files | undefined): Layout {
  const has = (name: string) => columns.some((column) => column.name === name);
  const first = range === undefined || key.includes(range) ? [] : [files?.chain, range];
  const sort = [...first, ...key, ...(has('_valid_from') ? ['_valid_from'] : [])].filter((name) => name !== undefined);
  const cut = files?.time ?? range;
  return {
    ...(files?.chain && { chain: files.chain }),
    ...(files && cut && { by: { kind: files.time ? 'time' : 'height', column: cut } }),
    sort: [...new Set(sort)],
  };
}
