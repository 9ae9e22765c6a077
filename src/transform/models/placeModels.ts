import { FirnError } from '../../core/firnError.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { sha256 } from '../../load/sha256.ts';
import { dependents } from './dependents.ts';
import { eachMetric } from './eachMetric.ts';
import { metricsOf } from './metricsOf.ts';
import { changedOf, isByBlocks, type Model, type PlacedModel } from './model.ts';
import { inHeader } from './modelError.ts';
import { modelOrder } from './modelOrder.ts';
import { modelReferences } from './modelReferences.ts';

/**
 * Models in building order, written out for the metrics among them, each with what it reads and its version: the hash of its SQL and of every
 * model under it.
 */
export async function placeModels(
  warehouse: Pick<Statements, 'query'>,
  files: readonly Model[],
): Promise<PlacedModel[]> {
  const metrics = metricsOf(files);
  const models = files.map((file) => eachMetric(file, metrics));
  const read = await modelReferences(warehouse, models.flatMap(statementsOf));
  const referring = models.map((model) => {
    const found = statementsOf(model).flatMap(({ name }) => read.get(name) ?? []);
    const problem = found.find((one) => one instanceof FirnError);
    if (problem) return { ...model, references: [], problem };
    const named = found as Exclude<(typeof found)[number], FirnError>[];
    // What a table held before the build is no relation.
    const relations = named.flatMap((one) => one.relations).filter((name) => !name.startsWith('temp.'));
    const variants = named.flatMap((one) => one.variants);
    const calls = named.flatMap((one) => one.calls);
    const wrong = variantProblem(model, variants) ?? narrowingProblem(model, calls);
    return { ...model, references: [...new Set(relations)].sort(), problem: wrong };
  });
  const hashes = new Map<string, string>();
  return withBlocks(modelOrder(withoutCircles(referring))).map((model) => {
    const below = model.references.map((name) => hashes.get(name.toLowerCase()) ?? name);
    const hash = sha256([...statementsOf(model).map(({ sql }) => withoutLayout(sql)), ...below].join('\n'));
    hashes.set(model.name.toLowerCase(), hash);
    return { ...model, hash };
  });
}

/** The models, with the problem of those that read themselves, alone or by way of others: as if they read nothing. */
function withoutCircles<T extends Model & Pick<PlacedModel, 'references' | 'problem'>>(models: readonly T[]): T[] {
  const references = new Map(models.map((model) => [model.name.toLowerCase(), model.references]));
  return models.map((model) => {
    const circle = circleFrom(model.name, references);
    if (!circle) return model;
    const sentence = `${model.file}:${model.line}: it reads itself: ${circle.join(' -> ')}. Take one of these references out.`;
    return { ...model, references: [], problem: new FirnError('failed', sentence) };
  });
}

/** The names on a way from a model back to itself; undefined where there is none. */
function circleFrom(model: string, references: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  const visit = (path: readonly string[]): readonly string[] | undefined => {
    const name = (path.at(-1) ?? '').toLowerCase();
    if (path.length > 1 && name === model.toLowerCase()) return path;
    if (seen.has(name)) return undefined;
    seen.add(name);
    for (const below of references.get(name) ?? []) {
      const found = visit([...path, below]);
      if (found) return found;
    }
    return undefined;
  };
  return visit([model]);
}

/**
 * The models, with the problem of those that are kept as blocks change and read nothing of blocks: no block would ever have them built, and they
 * would stay empty.
 */
function withBlocks<T extends Model & Pick<PlacedModel, 'references' | 'problem'>>(models: readonly T[]): T[] {
  const references = new Map(models.map((model) => [model.name.toLowerCase(), model.references]));
  if (!references.has('staging.evm_block')) return [...models];
  const beneath = (name: string): readonly string[] =>
    (references.get(name.toLowerCase()) ?? []).flatMap((below) => [below, ...beneath(below)]);
  const ofBlocks = [...references.keys()].filter((name) => name.startsWith('staging.evm_')).flatMap(beneath);
  const raw = ofBlocks.filter((name) => name.startsWith('raw.'));
  const following = dependents(['staging.evm_block', 'firn.coverage', ...raw], references);
  return models.map((model) => {
    const isIdle = isByBlocks(model) && !model.problem && !following.has(model.name.toLowerCase());
    if (!isIdle) return model;
    const sentence = `${model.file}:${model.line}: it is kept as blocks of EVM chains change, and reads nothing of them: it would stay empty. Write kept: table, or kept: view.`;
    return { ...model, problem: new FirnError('failed', sentence) };
  });
}

/** The SELECT of a model, and those of its header. */
const statementsOf = (model: Model) => [
  model,
  ...changedOf(model).map(([column, sql]) => ({ ...inHeader(model, column), name: `${model.name} ${column}`, sql })),
];

/**
 * A reading that is declared but not computed would give the documented number under another name; one that is not declared would never be
 * compared.
 */
function variantProblem(model: Model, answered: readonly string[]): FirnError | null {
  const declared = Object.keys(model.metric?.variants ?? {});
  const dead = declared.find((name) => !answered.includes(name));
  const secret = answered.find((name) => !declared.includes(name));
  if (dead === undefined && secret === undefined) return null;
  const what =
    dead === undefined
      ? `it compares variant() with '${secret}', which the header does not declare. Declare it under metric.variants.`
      : `the header declares the variant ${dead}, which the SQL does not answer. Compare variant() with '${dead}', or take it out.`;
  return new FirnError('failed', `${model.file}:${model.line}: ${what}`);
}

/** Of a level every later bucket is built again, of any other metric the buckets that changed: rows that it left out would be gone. */
function narrowingProblem(model: Model, calls: readonly string[]): FirnError | null {
  if (!model.metric) return null;
  const { sinceGenesis } = model.metric.needs;
  const [right, wrong] = sinceGenesis ? ['from_bucket', 'in_buckets'] : ['in_buckets', 'from_bucket'];
  if (!calls.includes(wrong)) return null;
  const what = sinceGenesis ? 'needs everything since genesis' : 'does not need everything since genesis';
  const sentence = `${model.file}:${model.line}: it ${what}, and narrows itself by ${wrong}: it would lose rows. Write ${right}(chain_id, time_interval, bucket).`;
  return new FirnError('failed', sentence);
}

/**
 * Comments and line breaks do not make another version, but for what is quoted. DuckDB's syntax tree would not do: another DuckDB may write it
 * differently, and an upgrade would change the version of every metric.
 */
const withoutLayout = (sql: string) =>
  sql
    // A text of several lines, or with several spaces in a row. What stands in comments quotes nothing.
    .replace(
      /('[^']*'|"[^"]*")|--[^\n]*|\/\*.*?\*\//gs,
      (_, quoted?: string) => quoted?.replace(/\s{2,}|[^\S ]/g, asCode) ?? ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();

/** Spaces as what no SQL has in their place. */
const asCode = (spaces: string) => `\0${Buffer.from(spaces).toString('hex')}`;
