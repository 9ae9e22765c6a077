import { FirnError } from '../core/firnError.ts';
import type { Unresolved } from '../core/unresolved.ts';
import type { Statements } from '../load/database/transaction.ts';
import type { Warehouse } from '../load/state/warehouse.ts';
import type { Audit } from './audits/parseAudit.ts';
import { protectedRelations } from './audits/protectedRelations.ts';
import { readAudits } from './audits/readAudits.ts';
import { type AuditResult, hasFailed } from './audits/runAudits.ts';
import type { BrokenModel } from './builds/buildModels.ts';
import { dependents } from './models/dependents.ts';
import type { Model } from './models/model.ts';
import { placeModels } from './models/placeModels.ts';
import { readModels } from './models/readModels.ts';
import { reconcileReferences } from './reconcile/reconcile.ts';

/** A relation that is held back, as `firn.held_back` has it: `since` is TIMESTAMP text. */
export type HeldBackRow = Omit<Unresolved['heldBack'][number], 'since'> & { readonly since: string };

/** What is held back. */
export const readHeldBack = (warehouse: Pick<Warehouse, 'query'>): Promise<HeldBackRow[]> =>
  warehouse.query<HeldBackRow>(
    'SELECT relation, audit, CAST(since AS VARCHAR) AS since, reason FROM firn.held_back ORDER BY relation, audit',
  );

/** What holds relations back, and everything built on them. */
interface Cause {
  readonly audit: string;
  readonly relations: (known: ReadonlySet<string>) => Iterable<string>;
  readonly reason: string;
}

/**
 * Notes in `firn.held_back` which relations must not be published as they are: what an audit that blocks protects, what broken models
 * would make, and everything built on these. Relations to which no audit objects any more are released; objections of an audit that cannot run
 * stay.
 *
 * @param parts other models and audits than those of the package
 * @returns what is held back now
 */
export async function holdBack(
  warehouse: Warehouse,
  broken: readonly BrokenModel[],
  results: readonly AuditResult[],
  parts: { readonly models?: readonly Model[]; readonly audits?: readonly Audit[] } = {},
): Promise<HeldBackRow[]> {
  const before = await readHeldBack(warehouse);
  const causes = [
    ...broken.map(({ name, error, leftOut }): Cause => {
      return { audit: name, relations: () => leftOut, reason: error.message };
    }),
    ...results
      .filter((result) => result.severity === 'blocks' && hasFailed(result))
      .map((result): Cause => {
        const rows = result.failedRows === 1 ? '1 row contradicts' : `${result.failedRows} rows contradict`;
        const reason = result.problem ?? `${rows} the audit's claim: ${result.description}`;
        return {
          audit: result.name,
          relations: (known) => result.protects.flatMap((pattern) => protectedRelations(pattern, known)),
          reason,
        };
      }),
  ];
  if (before.length + causes.length === 0) return [];
  const judged = new Set(results.map(({ name }) => name));
  const unjudged = new Set(
    (parts.audits ?? (await readAudits())).map(({ name }) => name).filter((name) => !judged.has(name)),
  );
  const held = [
    ...before.filter(({ audit }) => unjudged.has(audit)),
    ...(await withDependents(warehouse, causes, parts.models ?? (await readModels()))),
  ];
  const sinceOf = new Map(before.map(({ relation, audit, since }) => [`${relation} ${audit}`, since]));
  await warehouse.transaction(async (tx) => {
    await tx.run('DELETE FROM firn.held_back');
    for (const one of held) await noteHeld(tx, one, sinceOf.get(`${one.relation} ${one.audit}`));
  });
  return readHeldBack(warehouse);
}

/**
 * What is wrong with audits that protect something that does not exist, whether or not they find rows.
 *
 * @param named audits with what they protect, by their headers or by the rows that they found
 */
export async function unknownProtected(
  warehouse: Pick<Warehouse, 'query'>,
  named: readonly Pick<Audit, 'file' | 'protects'>[],
  models: readonly Model[],
): Promise<FirnError[]> {
  const known = await knownRelations(warehouse, models);
  const sentences = named.flatMap(({ file, protects }) =>
    protects
      .filter((pattern) => protectedRelations(pattern, known).length === 0)
      .map((pattern) => `${file}: it protects ${pattern}, which is not a relation. Correct the name.`),
  );
  return [...new Set(sentences)].map((sentence) => new FirnError('failed', sentence));
}

/** Notes until the next build that relations are held back because readers cannot have them. @returns what is held back now */
export async function holdBackHidden(
  warehouse: Warehouse,
  relations: readonly string[],
  reason: string,
): Promise<HeldBackRow[]> {
  await warehouse.transaction(async (tx) => {
    for (const relation of relations) await noteHeld(tx, { relation, audit: relation, reason });
  });
  return readHeldBack(warehouse);
}

/** @param since by default this moment */
const noteHeld = (
  tx: Statements,
  { relation, audit, reason }: Omit<HeldBackRow, 'since'>,
  since: string | null = null,
) =>
  tx.run('INSERT INTO firn.held_back VALUES ($1, $2, coalesce(CAST($3 AS TIMESTAMP), now()::TIMESTAMP), $4)', [
    relation,
    audit,
    since,
    reason,
  ]);

async function withDependents(
  warehouse: Warehouse,
  causes: readonly Cause[],
  files: readonly Model[],
): Promise<Omit<HeldBackRow, 'since'>[]> {
  const models = await placeModels(warehouse, files);
  const references = new Map([
    ...models.map((model) => [model.name, model.references] as const),
    ...reconcileReferences,
  ]);
  const known = await knownRelations(warehouse, models);
  const written = new Map([...known].map((name) => [name.toLowerCase(), name]));
  return causes.flatMap(({ audit, relations: named, reason }) =>
    [...dependents(named(known), references)].map((relation) => {
      return { relation: written.get(relation) ?? relation, audit, reason };
    }),
  );
}

/** Names of every table and view, and of those that a build or a reconciliation is yet to make. */
async function knownRelations(
  warehouse: Pick<Warehouse, 'query'>,
  models: readonly Pick<Model, 'name'>[],
): Promise<ReadonlySet<string>> {
  const relations = await warehouse.query<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE database_name = current_database()
     UNION SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE database_name = current_database()`,
  );
  return new Set([...relations, ...models].map(({ name }) => name).concat(...reconcileReferences.keys()));
}
