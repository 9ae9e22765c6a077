import { identifier, literal, nameOf } from '../../core/sqlText.ts';
import { querySql } from '../../load/querySql.ts';
import type { ManifestTable } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { KnownGap } from './knownGaps.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** What the check needs to know of a table. */
type KnownTable = Pick<ManifestTable, 'schema' | 'name'> & { readonly columns: readonly { readonly name: string }[] };

/** A table whose rows must follow each other without a gap. */
interface Chain {
  readonly table: KnownTable;
  /** Column that tells one chain from another in the same table. */
  readonly by: string | undefined;
  readonly position: string;
  readonly link: { readonly own: string; readonly parent: string } | undefined;
  /** Whether its rows carry the index at which the node counts them: what an index lacks for good is known by that. */
  readonly isIndexed: boolean;
}

const links = [
  { own: 'hash', parent: 'parent_hash' },
  { own: 'block_id', parent: 'parent_id' },
];

/** The tables that hold a chain: containers by their index, and whatever names its own and its parent's hash beside a height. */
function findChains(tables: readonly KnownTable[]): readonly Chain[] {
  return tables.flatMap((table): Chain[] => {
    const first = (...names: string[]) => names.find((name) => table.columns.some((column) => column.name === name));
    if (table.schema !== 'raw' || first('_valid_to')) return [];
    const by = first('chain_id', 'index_name', 'blockchain_id', 'blockchain');
    const isIndexed = by === 'index_name' && first('index') !== undefined;
    if (table.name.endsWith('_containers') && isIndexed)
      return [{ table, by, position: 'index', link: undefined, isIndexed }];
    const link = links.find(({ own, parent }) => first(own) && first(parent));
    const position = first('number', 'height');
    return link && position ? [{ table, by, position, link, isIndexed }] : [];
  });
}

/**
 * Looks for missing and doubled positions, and for rows whose parent is not the row before. What the source does not have, and was passed
 * over as the configuration allows, is no harm.
 */
export async function verifyContinuity(
  lake: Pick<LakeConnection, 'query'>,
  tables: readonly KnownTable[],
  gaps: readonly KnownGap[],
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const chain of findChains(tables)) {
    for (const found of await lake.query<Found>(continuitySql(chain, gaps))) failures.push(failureOf(chain, found));
  }
  return failures;
}

type Found = { chain: string | null; kind: 'gap' | 'double' | 'parent'; place: bigint; until: bigint };

/** How many rows are named at most; a broken chain would name millions. */
const shown = 20;

function continuitySql({ table, by, position, link, isIndexed }: Chain, gaps: readonly KnownGap[]): string {
  const known = gaps.map(({ partition, from, to }) => `(${literal(partition)}, ${from}, ${to})`).join(', ');
  return querySql('lake_continuity', {
    table: nameOf(table),
    chain: by ? identifier(by) : 'NULL',
    position: identifier(position),
    own: link ? identifier(link.own) : 'NULL',
    parent: link ? identifier(link.parent) : 'NULL',
    index: isIndexed ? '"index"' : 'NULL',
    known: known || "('', 0, 0)",
    linked: String(link !== undefined),
    shown: String(shown),
  });
}

function failureOf({ table, by, position, link }: Chain, { chain, kind, place, until }: Found): Failure {
  const item = `${table.schema}.${table.name}`;
  const of = chain === null ? '' : ` of ${by} ${chain}`;
  const messages = {
    gap: `${position} ${place === until ? place : `${place} to ${until}`}${of} ${place === until ? 'is' : 'are'} missing`,
    double: `${position} ${place}${of} is there more than once`,
    parent: `${link?.parent} of ${position} ${place}${of} is not the ${link?.own} of ${place - 1n}`,
  };
  return { check: kind === 'parent' ? 'parent' : 'gap', item, message: messages[kind] };
}
