import type { PlacedModel } from '../../transform/models/model.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName, newestRows, type Replaced, rowsReadAgain } from '../engine/lakeTable.ts';
import type { Rendering } from '../render/renderForTrino.ts';
import type { Builds } from './builds.ts';
import { heldRelations } from './ensureLakeTables.ts';
import type { LakeCut } from './lakeCut.ts';
import { replacedAt } from './replacedAt.ts';

/**
 * Takes a cut of the tables as they are now.
 *
 * @param loads those that no build shows, and whose rows had reached all of their tables before
 */
export async function takeCut(
  engine: Engine,
  builds: Pick<Builds, 'unbuiltBeside'>,
  tables: readonly LakeTable[],
  loads: readonly number[],
): Promise<LakeCut> {
  const isHeld = await heldRelations(engine);
  const snapshots = await engine.snapshots(tables.map(keptName).filter(isHeld));
  // Asked last: every load whose rows are in a snapshot is in the ledger by now.
  const beside = await builds.unbuiltBeside(loads);
  const partial = tables.flatMap((table) => {
    const stretches = beside[table.name];
    return stretches ? [[keptName(table), stretches]] : [];
  });
  return { snapshots, partial: Object.fromEntries(partial) };
}

/** How statements over these models are rendered. */
export const renderingOf = (engine: Engine, models: readonly PlacedModel[]) =>
  ({
    ...engine.words,
    views: new Map(
      models.flatMap(({ name, sql, keptAs }) => (keptAs.kind === 'view' ? [[name.toLowerCase(), sql] as const] : [])),
    ),
    table: (name: string) => engine.name(name),
  }) satisfies Rendering;

/** How statements are rendered that read built models, and tables as they are in a cut. */
export function renderingAt(
  engine: Engine,
  models: readonly PlacedModel[],
  tables: readonly LakeTable[],
  cut: LakeCut,
  replaced: ReadonlyMap<string, Replaced> = new Map(),
): ReturnType<typeof renderingOf> {
  const { snapshots } = cut;
  const isThere = (table: LakeTable) => snapshots[keptName(table)] !== undefined;
  const own = renderingOf(engine, models);
  const kept = keptIn(engine, cut, own.table);
  // Written in place, not as views, in which the order of rows would be lost.
  const instead = new Map(
    tables.flatMap((table) => {
      const known = table.again && replaced.get((table.again.parent ?? table.again).name);
      const again = rowsReadAgain(table, isThere, kept, known);
      if (again !== undefined) return [[table.name.toLowerCase(), `(${again})`] as const];
      if (!isThere(table)) return [[table.name.toLowerCase(), engine.empty(table)] as const];
      return table.replacedBy
        ? [[table.name.toLowerCase(), `(${newestRows(table, kept(keptName(table)), kept)})`] as const]
        : [];
    }),
  );
  return { ...own, table: (name) => instead.get(name.toLowerCase()) ?? kept(name) };
}

/** Which positions were read again, as a cut has it. */
export function replacedIn(engine: Engine, tables: readonly LakeTable[], cut: LakeCut): ReturnType<typeof replacedAt> {
  const kept = keptIn(engine, cut, engine.name);
  return replacedAt(engine, tables, (name) => (cut.snapshots[name] === undefined ? undefined : kept(name)));
}

/** How SQL calls what is kept under a name, in a cut. */
function keptIn(engine: Engine, { snapshots, partial }: LakeCut, table: (name: string) => string) {
  return (name: string): string => {
    const snapshot = snapshots[name];
    if (snapshot === undefined) return table(name);
    const from = engine.asOf(name, snapshot);
    const without = partial[name]?.map(([first, last]) => `firn_batch NOT BETWEEN ${first} AND ${last}`);
    return without ? `(SELECT * FROM ${from} WHERE ${without.join(' AND ')})` : from;
  };
}

/** Whether what is read of a table is the same in two cuts. False for tables that no cut names. */
export function sameIn(tables: readonly LakeTable[], one: LakeCut, other: LakeCut): (relation: string) => boolean {
  const byName = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
  const rowsIn = ({ snapshots, partial }: LakeCut, name: string) => JSON.stringify([snapshots[name], partial[name]]);
  const isSame = (table: LakeTable): boolean =>
    rowsIn(one, keptName(table)) === rowsIn(other, keptName(table)) &&
    [table.parent, table.again].every((other) => !other || isSame(other));
  return (relation) => {
    const table = byName.get(relation.toLowerCase());
    return table !== undefined && isSame(table);
  };
}
