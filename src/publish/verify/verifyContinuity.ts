import type { ManifestTable } from '../manifest.ts';
import { identifier, qualified } from '../sqlText.ts';
import type { Failure } from './failure.ts';
import type { LakeConnection } from './lakeConnection.ts';

/** A table whose rows must follow each other without a gap. */
interface Chain {
  readonly table: ManifestTable;
  /** Column that tells one chain from another in the same table. */
  readonly by: string | undefined;
  readonly position: string;
  readonly link: { readonly own: string; readonly parent: string } | undefined;
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
    if (table.name.endsWith('_containers') && first('index'))
      return [{ table, by, position: 'index', link: undefined }];
    const link = links.find(({ own, parent }) => first(own) && first(parent));
    const position = first('number', 'height');
    return link && position ? [{ table, by, position, link }] : [];
  });
}

/** Looks for missing and doubled positions, and for rows whose parent is not the row before. */
export async function verifyContinuity(lake: LakeConnection, tables: readonly ManifestTable[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const chain of findChains(tables)) {
    for (const found of await lake.query<Found>(continuitySql(chain))) failures.push(failureOf(chain, found));
  }
  return failures;
}

type Found = { chain: string | null; kind: 'gap' | 'double' | 'parent'; place: bigint; until: bigint };

/** Rows named at most; a broken chain would name millions. */
const shown = 20;

function continuitySql({ table, by, position, link }: Chain): string {
  const chain = by ? identifier(by) : 'NULL';
  const own = link ? identifier(link.own) : 'NULL';
  const parent = link ? identifier(link.parent) : 'NULL';
  return `
    WITH placed AS (
      SELECT ${chain} AS chain, ${identifier(position)} AS place, ${parent} AS parent,
        lag(${identifier(position)}) OVER in_order AS last_place, lag(${own}) OVER in_order AS last_own
      FROM ${qualified(table)}
      WINDOW in_order AS (PARTITION BY ${chain} ORDER BY ${identifier(position)})
    ),
    found AS (
      SELECT chain, last_place + 1 AS place, place - 1 AS until, 'gap' AS kind FROM placed WHERE place > last_place + 1
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
