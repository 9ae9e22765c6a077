import { bucketFacts } from '../../report/verdicts/verdictFacts.ts';
import { bucketEnd, secondsOf, timestampOf } from '../../transform/bucketTime.ts';
import type { Explanation } from '../../transform/reconcile/explain.ts';
import { textTable } from './textTable.ts';

/** An explanation as text for a terminal. */
export function explanationText(explanation: Explanation): string {
  const { chain, metric, interval, bucket, verdict, served } = explanation;
  const revisions = served.filter((row, i) => i === 0 || revisionText(row) !== revisionText(served[i - 1]));
  const variants = Object.entries(explanation.variants).map(([name, what]) => (what ? `${name} (${what})` : name));
  return [
    `${metric} of chain ${chain}, ${interval} from ${bucket} UTC`,
    '',
    explanation.definition,
    ...(variants.length > 0 ? [`Other readings: ${variants.join(', ')}`] : []),
    '',
    `recomputed  ${ownText(explanation)}`,
    `served      ${verdict?.['served_text'] ?? (served.length > 0 ? revisionText(served.at(-1)) : 'nothing')}`,
    ...(verdict ? verdictLines(explanation, verdict) : []),
    ...(revisions.length > 1
      ? [`revisions   ${revisions.map((row) => `${revisionText(row)} (${row['fetched_at']})`).join(' -> ')}`]
      : []),
    '',
    coverageText(explanation),
    '',
    'Rows that count most:',
    table(explanation.top),
    '',
    'To paste into a notebook:',
    ...[...new Set([explanation.bothSql, explanation.ownSql, explanation.variantSql, explanation.topSql])].flatMap(
      (sql) => (sql ? `  ${sql.replaceAll('\n', '\n  ')};` : []),
    ),
  ].join('\n');
}

const revisionText = (row: Explanation['served'][number] | undefined): string =>
  row?.['withdrawn'] ? 'nothing any more' : String(row?.['value_text']);

function ownText({ own, knownEmpty, interval }: Explanation): string {
  if (knownEmpty) return `0: no block lies in this ${interval}, and the blocks around it follow each other`;
  if (!own) return 'nothing: this bucket holds no block of the warehouse';
  if (own['covered'] === false)
    return 'not covered: something this metric counts is missing here, or before it where it counts from genesis';
  if (own['overflows'] === true) return 'more than 38 digits: not compared';
  if (own['numerator'] === null) return 'no value';
  return own['denominator'] === '1'
    ? `${own['numerator']}`
    : `${own['numerator']} / ${own['denominator']} = ${own['value']}`;
}

function verdictLines(explanation: Explanation, verdict: NonNullable<Explanation['verdict']>): string[] {
  const covered = explanation.own?.['covered'] === true || explanation.knownEmpty;
  const { meaning, todo } = bucketFacts({ covered, verdict: String(verdict['verdict']) });
  return [
    `difference  ${verdict['difference_text'] ?? '-'}`,
    `verdict     ${verdictText(verdict)}`,
    `means       ${meaning}`,
    `to do       ${verdict['verdict'] === 'differs' ? differsTodo(explanation) : todo}`,
  ];
}

/** What is left to do of a number that differs, once it is explained. */
function differsTodo({ interval, bucket }: Explanation): string {
  const days = [secondsOf(bucket), bucketEnd(interval, secondsOf(bucket)) - 1].map((at) =>
    timestampOf(at).slice(0, 10),
  );
  const again = [...new Set(days)].join('..');
  return (
    `\`firn verify --evidence\` proves these blocks; \`firn backfill metrics/chain_metrics --again ${again}\` reads the served value again. ` +
    'If neither changes anything, the served value is wrong: report it with this output.'
  );
}

function verdictText(verdict: NonNullable<Explanation['verdict']>): string {
  const details = [verdict['variant'], verdict['scale'] === null ? null : `scale ${verdict['scale']}`, verdict['note']];
  const said = details.filter((detail) => detail !== null && detail !== undefined).join(', ');
  return said ? `${verdict['verdict']} (${said})` : `${verdict['verdict']}`;
}

function coverageText({ coverage, knownEmpty }: Explanation): string {
  if (knownEmpty) return 'No block, and none is missing.';
  if (!coverage) return 'Nothing of this bucket is held.';
  const yes = (name: string) => (coverage[name] === true ? 'covered' : 'NOT covered');
  const levels = (since: string) =>
    `blocks ${yes(`blocks_covered${since}`)}, receipts and logs ${yes(`receipts_covered${since}`)}, traces ${yes(`traces_covered${since}`)}`;
  const range =
    coverage['first_block'] === null
      ? `no block (${coverage['state']})`
      : `blocks ${coverage['first_block']} to ${coverage['last_block']} (${coverage['blocks']} held, from ${coverage['source']}, ${coverage['state']})`;
  return (
    `${range}: ${levels('')}, gas ${yes('gas_covered')}; since genesis: ${levels('_since_genesis')}; ` +
    `${coverage['transactions']} transactions, ` +
    `${coverage['receipts']} receipts, gas ${coverage['header_gas']} by blocks and ${coverage['receipt_gas']} by receipts`
  );
}

function table(rows: Explanation['top']): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = textTable(
    names,
    rows.map((row) => names.map((name) => String(row[name] ?? ''))),
  );
  return `  ${lines.replaceAll('\n', '\n  ') || 'none'}`;
}
