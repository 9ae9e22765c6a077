import { identifier } from '../core/text/sqlText.ts';

/** What is counted of the texts of a column; NULL is left out. */
const counts = ['texts', 'integers', 'numbers', 'dates', 'times', 'booleans', 'hexes'] as const;
/** Digits before and after the decimal point at most, exponents counted in. */
const sizes = ['whole', 'scale'] as const;

/** What the texts of a column look like; sizes are null where none is a number. */
export type TextFacts = Readonly<
  Record<(typeof counts)[number], bigint> & Record<(typeof sizes)[number], bigint | null>
>;

const dateText = '\\d{4}-\\d{2}-\\d{2}';
const hexText = '0[xX]([0-9a-fA-F]{40}|[0-9a-fA-F]{64})';
/** A TIMESTAMP has microseconds. */
const timeText = `${dateText}[T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6}0*)?)?( ?(Z|UTC|[+-]\\d{2}(:?\\d{2})?))?`;

/** Such a text as DuckDB reads it, which knows no zone behind minutes, and none but UTC behind a blank. */
const zoned = (text: string): string =>
  `regexp_replace(regexp_replace(${text}, ' ([Z+-]\\S*)$', '\\1'), '^(.{16})( ?[ZU+-])', '\\1:00\\2')`;

/** The SELECT whose one row has the facts of every column, as `<fact><index>`. */
export function factsSql(table: string, names: readonly string[]): string {
  const facts = names.flatMap((name, i) => {
    const text = identifier(name);
    const matches = (pattern: string) => `regexp_full_match(${text}, '${pattern}')`;
    const isNumber = matches('[+-]?(0|[1-9]\\d*)?(\\.\\d+)?([eE][+-]?\\d{1,3})?');
    const whole = `length(regexp_extract(${text}, '^[+-]?(\\d*)', 1))`;
    const fraction = `length(regexp_extract(${text}, '\\.(\\d+)', 1))`;
    const exponent = `coalesce(TRY_CAST(regexp_extract(${text}, '[eE]([+-]?\\d+)$', 1) AS INTEGER), 0)`;
    const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`;
    const sql: Readonly<Record<keyof TextFacts, string>> = {
      texts: `count(${text})`,
      integers: count(matches('[+-]?(0|[1-9]\\d*)')),
      numbers: count(`${isNumber} AND regexp_matches(${text}, '^[+-]?\\.?\\d')`),
      // A negative exponent does not narrow it: the cast works on the digits as they are written.
      whole: `max(${whole} + greatest(${exponent}, 0)) FILTER (WHERE ${isNumber})`,
      scale: `max(${fraction} - ${exponent}) FILTER (WHERE ${isNumber})`,
      dates: count(`${matches(dateText)} AND TRY_CAST(${text} AS DATE) IS NOT NULL`),
      times: count(`${matches(timeText)} AND TRY_CAST(${zoned(text)} AS TIMESTAMPTZ) IS NOT NULL`),
      booleans: count(matches('(?i)true|false')),
      hexes: count(matches(hexText)),
    };
    return Object.entries(sql).map(([fact, value]) => `${value} AS ${fact}${i}`);
  });
  return `SELECT ${facts.join(', ')} FROM ${table}`;
}

/** The facts of the column with an index, out of that row. */
export const factsOf = (row: Readonly<Record<string, unknown>>, i: number): TextFacts =>
  Object.fromEntries([...counts, ...sizes].map((fact) => [fact, row[`${fact}${i}`]])) as TextFacts;

/**
 * The SQL that makes the values of a column from their texts, of the type that holds each exactly. Numbers never become doubles: whole ones are
 * BIGINT or DECIMAL(38,0), others DECIMAL with the digits they need; what fits none of these stays text, and so do numbers with leading zeros,
 * which are names, and dates that are not ISO. Addresses and hashes are lower-cased, as they are in every other table, whatever stands beside them.
 *
 * @param isText whether the warehouse has a column of this name, and it is text: they are joined
 */
export function valueSql(name: string, facts: TextFacts, isText: boolean): string {
  const text = identifier(name);
  const all = (count: bigint) => facts.texts > 0n && count === facts.texts;
  const cast = (type: string) => `CAST(${text} AS ${type})`;
  if (facts.hexes > 0n)
    return `CASE WHEN regexp_full_match(${text}, '${hexText}') THEN lower(${text}) ELSE ${text} END`;
  if (isText) return cast('VARCHAR');
  if (all(facts.booleans)) return cast('BOOLEAN');
  if (all(facts.dates)) return cast('DATE');
  if (all(facts.times) || (facts.times > 0n && all(facts.times + facts.dates)))
    return `make_timestamp(epoch_us(CAST(${zoned(text)} AS TIMESTAMPTZ)))`;
  const whole = Math.max(1, Number(facts.whole));
  if (all(facts.integers) && whole <= 38) return cast(whole <= 18 ? 'BIGINT' : 'DECIMAL(38,0)');
  const scale = Math.max(0, Number(facts.scale));
  if (all(facts.numbers) && whole + scale <= 38) return cast(`DECIMAL(${whole + scale <= 18 ? 18 : 38},${scale})`);
  return cast('VARCHAR');
}
