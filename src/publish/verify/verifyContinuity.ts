import { identifier, literal, qualified } from '../../core/sqlText.ts';
import type { ManifestTable } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { KnownGap } from './knownGaps.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** A table whose rows must follow each other without a gap. */
interface Chain {
  readonly table: ManifestTable;
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
function findChains(tables: readonly ManifestTable[]): readonly Chain[] {
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
  lake: LakeConnection,
  tables: readonly ManifestTable[],
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
  const chain = by ? identifier(by) : 'NULL';
  const own = link ? identifier(link.own) : 'NULL';
  const parent = link ? identifier(link.parent) : 'NULL';
  const index = isIndexed ? '"index"' : 'NULL';
  const known = gaps.map(({ partition, from, to }) => `(${literal(partition)}, ${from}, ${to})`).join(', ');
  return `
    WITH known(name, from_index, to_index) AS (VALUES ${known || "('', 0, 0)"}),
    placed AS (
      SELECT ${chain} AS chain, ${identifier(position)} AS place, ${parent} AS parent, ${index} AS own_index,
        lag(${identifier(position)}) OVER in_order AS last_place, lag(${own}) OVER in_order AS last_own, lag(${index}) OVER in_order AS last_index
      FROM ${qualified(table)}
      WINDOW in_order AS (PARTITION BY ${chain} ORDER BY ${identifier(position)})
    ),
    -- Where a gap is known between two rows, as many containers may be missing as it says; which heights those had nobody knows.
    allowed AS (
      SELECT p.chain, p.place, sum(greatest(k.to_index - k.from_index + 1, 0)) AS missing
      FROM placed AS p
      JOIN known AS k ON k.name = 'index_name=' || CAST(p.chain AS VARCHAR) AND k.from_index > p.last_index AND k.from_index <= p.own_index
      WHERE p.place > p.last_place + 1
      GROUP BY p.chain, p.place
    ),
    found AS (
      SELECT p.chain, p.last_place + 1 AS place, p.place - 1 AS until, 'gap' AS kind
      FROM placed AS p
      LEFT JOIN allowed AS a ON a.chain = p.chain AND a.place = p.place
      WHERE p.place > p.last_place + 1 AND (a.place IS NULL OR ${link ? 'false' : 'a.missing < p.place - p.last_place - 1'})
      UNION ALL SELECT chain, place, place, 'double' FROM placed WHERE place = last_place
      UNION ALL SELECT chain, place, place, 'parent' FROM placed WHERE place = last_place + 1 AND parent <> last_own
    )
    SELECT CAST(chain AS VARCHAR) AS chain, CAST(place AS BIGINT) AS place, CAST(until AS BIGINT) AS until, kind
    FROM found ORDER BY ALL LIMIT ${shown}`;
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
