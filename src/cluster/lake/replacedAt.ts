import { identifier, literal } from '../../core/text/sqlText.ts';
import type { Engine, LakeTable } from '../contract.ts';
import { keptName, type Replaced } from '../engine/lakeTable.ts';

/** The most stretches that are written into statements. */
const mostStretches = 200;

type Stretch = Record<string, string | bigint | number> & {
  readonly first: bigint;
  readonly last: bigint;
  readonly held: bigint;
};

/**
 * Which positions were read again, as stretches in words of SQL, by the name of the table that has them. A statement that asks the table itself, each time
 * that it names one of the stream, has several stages for each of them.
 *
 * @param called how SQL calls what is kept under a name; undefined for what is not there
 * @returns nothing of those with too many stretches
 */
export async function replacedAt(
  engine: Pick<Engine, 'query'>,
  tables: readonly LakeTable[],
  called: (kept: string) => string | undefined,
): Promise<ReadonlyMap<string, Replaced>> {
  const found = new Map<string, Replaced>();
  for (const again of tables.flatMap((table) => (table.again && !table.again.parent ? [table.again] : []))) {
    const from = called(keptName(again));
    if (from === undefined) continue;
    const stretches = await engine.query<Stretch>(stretchesSql(again, from));
    if (stretches.length > mostStretches) continue;
    const { others, position } = keyOf(again);
    const each = stretches.map((stretch) =>
      [
        ...others.map((name) => `${identifier(name)} = ${literal(String(stretch[name]))}`),
        `${identifier(position)} BETWEEN ${stretch.first} AND ${stretch.last}`,
      ].join(' AND '),
    );
    const positions = stretches.reduce((sum, { first, last }) => sum + BigInt(last) - BigInt(first) + 1n, 0n);
    found.set(again.name, {
      where: each.length > 0 ? each.map((one) => `(${one})`).join(' OR ') : 'false',
      isOnce: positions === BigInt(stretches[0]?.held ?? 0),
    });
  }
  return found;
}

/** The position is the last column of a key. */
const keyOf = ({ replacedBy = [] }: LakeTable) => ({
  others: replacedBy.slice(0, -1),
  position: replacedBy.at(-1) ?? '',
});

function stretchesSql(again: LakeTable, from: string): string {
  const { others, position } = keyOf(again);
  const at = identifier(position);
  const by = others.map(identifier).join(', ');
  const comma = by && `${by}, `;
  return `SELECT ${comma}min(${at}) AS "first", max(${at}) AS "last", (SELECT count(*) FROM ${from} AS every) AS held FROM (
  SELECT ${comma}${at}, ${at} - row_number() OVER (${by && `PARTITION BY ${by} `}ORDER BY ${at}) AS stretch FROM (SELECT DISTINCT ${comma}${at} FROM ${from} AS every) AS apart
) AS placed GROUP BY ${comma}stretch ORDER BY ${comma}"first" LIMIT ${mostStretches + 1}`;
}
