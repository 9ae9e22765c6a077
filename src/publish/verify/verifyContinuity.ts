import type { KnownGap } from '../../core/knownGap.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import type { Declared, Follows } from '../../core/stream/stream.ts';
import { identifier, literal, nameOf } from '../../core/text/sqlText.ts';
import type { Queries } from '../../load/database/transaction.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { ManifestTable } from '../manifest.ts';
import type { Failure } from './failure.ts';

/** A table whose rows must follow each other without a gap. */
export interface Chain {
  /** `raw.<source>_<name>`. */
  readonly table: string;
  /** Column that tells one chain from another in the same table. */
  readonly by: string | undefined;
  readonly position: string;
  readonly link: Follows['link'] | undefined;
  /** Column with the position of the stream's partition, where the source may lack some for good: `firn.gap` says which. */
  readonly index: string | undefined;
}

/** The tables that hold chains, as streams declare it. */
export const declaredChains = (catalogue: readonly Declared[]): Chain[] =>
  catalogue.flatMap((stream) => {
    if (stream.way !== 'range') return [];
    const shared = { by: stream.files?.chain, index: stream.mayHaveGaps && stream.position };
    const children = Object.values(stream.children).flatMap(({ table, follows }) =>
      follows ? [{ table: table.name, ...follows, ...shared }] : [],
    );
    return [{ table: stream.table.name, position: stream.position, link: stream.link, ...shared }, ...children];
  });

/**
 * Looks for missing and doubled positions, and for rows whose parent is not the row before. Positions that are known to be missing are no harm,
 * nor are those that are still to be read.
 *
 * @param gaps positions that may be missing
 */
export async function verifyContinuity(
  lake: Queries,
  tables: readonly Pick<ManifestTable, 'schema' | 'name'>[],
  chains: readonly Chain[],
  gaps: readonly KnownGap[],
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const published = new Set(tables.map(nameOf));
  for (const chain of chains.filter(({ table }) => published.has(table))) {
    const own = gaps.filter(({ stream }) => isOf(chain, stream));
    for (const found of await lake.query<Found>(continuitySql(chain, own))) failures.push(failureOf(chain, found));
  }
  return failures;
}

/** Whether a table is a stream's, or a child's. */
const isOf = ({ table }: Chain, stream: string) => `${table}_`.startsWith(`raw.${stream.replace('/', '_')}_`);

type Found = { chain: string | null; kind: 'gap' | 'double' | 'parent'; place: bigint; until: bigint };

/** How many rows are named at most; a broken chain would name millions. */
const shown = 20;

/** Trino cannot tell what it would be joined to otherwise. */
const noText = 'CAST(NULL AS VARCHAR)';

function continuitySql({ table, by, position, link, ...chain }: Chain, gaps: readonly KnownGap[]): string {
  // Where the source lacks nothing, positions are told as they are.
  const index = chain.index ?? (gaps.length > 0 ? position : undefined);
  const known = gaps.map(({ partition, from, to }) => `(${literal(partition)}, ${from}, ${to})`).join(', ');
  return querySql('lake_continuity', {
    table,
    chain: by ? identifier(by) : noText,
    partition: by ? `${literal(`${by}=`)} || CAST(p.chain AS VARCHAR)` : literal(partitionKey({ values: {} })),
    position: identifier(position),
    own: link ? identifier(link.id) : 'NULL',
    parent: link ? identifier(link.parent) : 'NULL',
    index: index ? identifier(index) : 'NULL',
    known: known || "('', 0, 0)",
    counted: String(position === index),
    shown: String(shown),
  });
}

function failureOf({ table, by, position, link }: Chain, { chain, kind, place, until }: Found): Failure {
  const of = chain === null ? '' : ` of ${by} ${chain}`;
  const messages = {
    gap: `${position} ${place === until ? place : `${place} to ${until}`}${of} ${place === until ? 'is' : 'are'} missing`,
    double: `${position} ${place}${of} is there more than once`,
    parent: `${link?.parent} of ${position} ${place}${of} is not the ${link?.id} of ${place - 1n}`,
  };
  return { check: kind === 'parent' ? 'parent' : 'gap', item: table, message: messages[kind] };
}
