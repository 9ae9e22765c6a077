import { literal } from '../../../core/text/sqlText.ts';
import { bucketEnd, type Interval, timestampOf } from '../../../transform/bucketTime.ts';
import { contributorsSql } from '../../../transform/reconcile/contributorsSql.ts';
import type { PlottedPoint } from '../../reportData.ts';
import { explainCommand } from '../../texts/explainCommand.ts';
import { groupDigits } from '../../texts/numberText.ts';
import { bucketFacts, groupOf } from '../../verdicts/verdictFacts.ts';
import { element, marked } from '../element.ts';
import { bucketName, placeHref } from '../explorer/place.ts';
import { blocksText, differenceText, ownText, servedText, verdictText } from '../pointText.ts';
import { bucketMoment } from './bucketMoment.ts';
import { definition } from './definition.ts';
import type { DetailsContext } from './detailsContext.ts';
import { liveRows } from './liveRows.ts';
import { sqlBlock } from './sqlBlock.ts';
import { liveVersion } from './watchVersion.ts';

interface PointContext extends DetailsContext {
  /** As the address names it. */
  readonly bucket: string;
  /** Undefined where the page does not hold it. */
  readonly point: PlottedPoint | undefined;
}

/** One number: both sides, what the verdict means, its blocks and transactions, its definition, and the SQL for each. */
export function pointDetails(context: PointContext): HTMLElement[] {
  const { payload, chain, chainName, metric, interval, here, series, point, bucket } = context;
  const start = point?.bucket ?? bucketMoment(bucket);
  const whole = { ...here, chain, interval, metric };
  const parts: (HTMLElement | false)[] = [
    element(
      'p',
      { class: 'note' },
      `${chainName}. `,
      neighbours(context).map(([word, href]) => [element('a', { href }, word), ' ']),
      element('a', { href: placeHref(whole) }, 'All buckets'),
    ),
    point
      ? facts(point, series?.scale ?? 1)
      : element(
          'p',
          {},
          start === null
            ? `There is no ${interval} "${bucket}".`
            : 'The page does not hold this bucket; the SQL below gives it.',
        ),
  ];
  if (start === null) return parts.filter((part) => part !== false);
  const at = timestampOf(start / 1000);
  const until = bucketEnd(interval as Interval, start / 1000);
  const same = `chain_id = ${literal(chain)} AND time_interval = ${literal(interval)} AND bucket = TIMESTAMP '${at}'`;
  const between = `chain_id = ${literal(chain)} AND block_time >= TIMESTAMP '${at}' AND block_time < TIMESTAMP '${timestampOf(until)}'`;
  const { contributors } = payload.metrics.of(metric);
  if (liveVersion() !== null) parts.push(liveRows({ chain, from: at, until: timestampOf(until) }));
  parts.push(
    definition(payload, metric),
    sqlBlock(
      'From the number down to its blocks, in a terminal:',
      explainCommand(chain, metric, interval, start),
      false,
    ),
    sqlBlock('Both numbers:', `SELECT * FROM mart.reconciliation WHERE ${same} AND metric = ${literal(metric)}`),
    /^\w+$/.test(metric) &&
      sqlBlock('The recomputed number by itself:', `SELECT * FROM mart.metric_${metric} WHERE ${same}`),
    contributors !== null &&
      sqlBlock('The rows that count most:', contributorsSql(contributors, { chain, from: start / 1000, until })),
    sqlBlock('Its blocks:', `SELECT * FROM mart.fct_block WHERE ${between} ORDER BY "number"`),
    sqlBlock('Its transactions:', `SELECT * FROM mart.fct_transaction WHERE ${between} ORDER BY "number", tx_index`),
  );
  return parts.filter((part) => part !== false);
}

function facts(point: PlottedPoint, scale: number): HTMLElement {
  const group = point.verdict === null ? null : groupOf(point.verdict);
  const { meaning, todo } = bucketFacts(point);
  const entries: readonly (readonly [string, string | Node])[] = [
    ['Recomputed', ownText(point)],
    ['Served', `${servedText(point)}${scale === 1 ? '' : ` (× ${groupDigits(String(scale))})`}`],
    ['Served − own', differenceText(point, scale) ?? '–'],
    ['Blocks', blocksText(point)],
    ['Verdict', group ? marked(group, verdictText(point)) : 'not compared'],
  ];
  return element(
    'div',
    {},
    element(
      'dl',
      {},
      entries.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
    ),
    group &&
      element('p', {}, meaning.replaceAll('`', ''), ' ', element('b', {}, 'What to do: '), todo.replaceAll('`', '')),
  );
}

function neighbours({ here, chain, metric, interval, series, point }: PointContext): (readonly [string, string])[] {
  const at = point ? (series?.points.indexOf(point) ?? -1) : -1;
  const named = (index: number, word: string): (readonly [string, string])[] => {
    const one = at < 0 ? undefined : series?.points[index];
    if (!one) return [];
    const bucket = bucketName(one.bucket, interval);
    return [[`${word} ${interval}`, placeHref({ ...here, chain, interval, metric, bucket })]];
  };
  return [...named(at - 1, 'Previous'), ...named(at + 1, 'Next')];
}
