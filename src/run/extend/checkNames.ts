import { FirnError } from '../../core/firnError.ts';
import type { Source } from '../../core/stream/source.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import { reconcileReferences } from '../../transform/reconcile/reconcile.ts';
import type { Extension } from './readExtension.ts';
import type { Registry } from './registry.ts';

/** The schemas of models: what readers see beside what was read. */
const schemas = ['staging', 'mart'];

/**
 * Checks the names of an extension against firn's own and each other: each may be used once, and the rows of a metric say its file's.
 *
 * @throws FirnError `config` with the file that takes a name which is taken, or whose rows say another one
 */
export function checkNames(
  registry: Registry & Pick<Extension, 'models' | 'audits'>,
  { streams, models, audits }: Extension,
): void {
  const own = [...registry.catalogue, ...registry.actions];
  const sources = new Map<string, { source: Source; file?: string }>(
    registry.sources.map((source) => [source.name, { source }]),
  );
  const tables = names(tablesOf(own));
  const ids = names(own.map(({ id }) => ({ name: id })));
  for (const { stream, file } of streams) {
    const { source } = stream;
    const known = sources.get(source.name);
    if (known && known.source !== source)
      throw taken(file, `the source "${source.name}"`, known.file ?? 'firn, which exports it');
    sources.set(source.name, { file, ...known, source });
    take(ids, 'the stream', stream.id, file);
    for (const { name } of tablesOf([stream])) take(tables, 'the table', name, file);
  }
  const relations = names([...registry.models, ...[...reconcileReferences.keys()].map((name) => ({ name }))]);
  for (const { name, file, metric, sql } of models) {
    const [schema = '', table] = name.split('.');
    if (!schemas.includes(schema) || table === undefined || !/^[a-z]\w*$/.test(table))
      throw new FirnError(
        'config',
        `${file}: a model lies in a folder called ${schemas.join(' or ')}, which is its schema, and its file is called as the table: small letters, digits and _.`,
      );
    take(relations, 'the model', name, file);
    if (metric && !sql.includes(literal(metric.name)))
      throw new FirnError(
        'config',
        `${file}: it gives no rows of the metric ${metric.name}, which is what its file's name says. Write ${literal(metric.name)} AS metric, or rename the file.`,
      );
  }
  const claims = names(registry.audits);
  for (const { name, file } of audits) take(claims, 'the audit', name, file);
}

/** Names that are taken, in small letters as DuckDB holds them, and by which file. */
const names = (all: readonly { readonly name: string }[]) =>
  new Map<string, string>(all.map(({ name }) => [name.toLowerCase(), 'firn']));

function take(known: Map<string, string>, what: string, name: string, file: string): void {
  const holder = known.get(name.toLowerCase());
  if (holder !== undefined) throw taken(file, `${what} "${name}"`, holder);
  known.set(name.toLowerCase(), file);
}

const taken = (file: string, what: string, holder: string) =>
  new FirnError('config', `${file}: ${what} already exists, in ${holder}. Give it another name.`);
