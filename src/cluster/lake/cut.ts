import type { PlacedModel } from '../../transform/model.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName, newestRows } from '../engine/lakeTable.ts';
import { trinoMacros } from '../render/expandMacros.ts';
import type { Rendering } from '../render/renderForTrino.ts';
import { heldRelations } from './ensureLakeTables.ts';

/** What a build reads, and its audits, verdicts and versions with it, whatever workers apply meanwhile. */
export interface Cut {
  /** Of each table as it is kept; a table without one holds nothing. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** Loads that had not come to all of their tables. */
  readonly partial: readonly number[];
}

/**
 * Takes the tables as they are.
 *
 * @param loads those that no build shows, and whose rows were in all of their tables before
 */
export async function takeCut(
  engine: Engine,
  builds: { unbuiltBeside(loads: readonly number[]): Promise<readonly number[]> },
  tables: readonly LakeTable[],
  loads: readonly number[],
): Promise<Cut> {
  const held = await heldRelations(engine);
  const there = tables.map(keptName).filter((name) => held.has(engine.name(name).toLowerCase()));
  const snapshots = await engine.snapshots(there);
  // Asked for last: what came into a table meanwhile was known before.
  return { snapshots, partial: await builds.unbuiltBeside(loads) };
}

/** How statements over these models are rendered. @param none what is read in place of tables that are not there, by names in lower case */
export const renderingOf = (
  engine: Engine,
  models: readonly PlacedModel[],
  none: ReadonlyMap<string, string> = new Map(),
) =>
  ({
    macros: trinoMacros(),
    views: new Map(
      models.flatMap(({ name, sql, keptAs }) => (keptAs.kind === 'view' ? [[name.toLowerCase(), sql] as const] : [])),
    ),
    table: (name: string) => none.get(name.toLowerCase()) ?? engine.name(name),
  }) satisfies Rendering;

/** How statements read models that are built, and tables as a cut has them. */
export function renderingAt(
  engine: Engine,
  models: readonly PlacedModel[],
  tables: readonly LakeTable[],
  { snapshots, partial }: Cut,
): Required<Pick<Rendering, 'macros' | 'views' | 'table'>> {
  const there = tables.filter((table) => snapshots[keptName(table)] !== undefined);
  const none = tables.filter((table) => !there.includes(table));
  const own = renderingOf(
    engine,
    models,
    new Map(none.map((table) => [table.name.toLowerCase(), engine.empty(table)])),
  );
  const newest = there.flatMap((table) =>
    table.replacedBy ? [[table.name.toLowerCase(), newestRows(table, keptName(table))] as const] : [],
  );
  const without = partial.length > 0 ? ` WHERE firn_batch NOT IN (${partial.join(', ')})` : '';
  return {
    ...own,
    views: new Map([...own.views, ...newest]),
    table: (name) => {
      const snapshot = snapshots[name];
      if (snapshot === undefined) return own.table(name);
      const from = engine.asOf(name, snapshot);
      return without && name.startsWith('raw.') ? `(SELECT * FROM ${from}${without})` : from;
    },
  };
}
