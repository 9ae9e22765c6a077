import { literal } from '../../../core/text/sqlText.ts';
import type { PlottedPoint } from '../../reportData.ts';
import { countText, plural } from '../../texts/numberText.ts';
import { bucketText } from '../../texts/timeText.ts';
import { groupFacts, groupOf, verdictFacts, verdictGroups } from '../../verdicts/verdictFacts.ts';
import { element, marked } from '../element.ts';
import { bucketName, placeHref } from '../explorer/place.ts';
import { pager } from '../pager.ts';
import { blocksText, differenceText, ownText, servedText } from '../pointText.ts';
import { definition } from './definition.ts';
import type { DetailsContext } from './detailsContext.ts';
import { sqlBlock } from './sqlBlock.ts';

const rowsPerPage = 50;

/** A series: its verdicts, every bucket the page holds, its definition, its SQL. */
export function seriesDetails(context: DetailsContext): HTMLElement[] {
  const { payload, chain, chainName, metric, interval, series } = context;
  const same = `chain_id = ${literal(chain)} AND metric = ${literal(metric)} AND time_interval = ${literal(interval)}`;
  const counts = payload.verdicts(chain, metric, interval);
  return [
    element('p', { class: 'note' }, chainName),
    element(
      'ul',
      { class: 'verdicts' },
      counts.map(({ verdict, variant, scale, buckets }) => {
        const group = groupOf(verdict);
        const how = [variant, scale && scale !== '1' && `× ${scale}`].filter(Boolean).join(', ');
        return element(
          'li',
          {},
          marked(group, `${countText(buckets)} ${groupFacts[group].word}`),
          ` ${verdict}${how && ` (${how})`}: ${verdictFacts(verdict).meaning}`,
        );
      }),
    ),
    series ? bucketTable(context, series.points) : element('p', {}, notHeldText(context)),
    definition(payload, metric),
    sqlBlock('Both numbers of every bucket:', `SELECT * FROM mart.reconciliation WHERE ${same} ORDER BY bucket DESC`),
    sqlBlock('The recomputed numbers:', `SELECT * FROM mart.metric WHERE ${same} ORDER BY bucket DESC`),
  ];
}

function notHeldText({ payload, metric, interval }: DetailsContext): string {
  const { intervals } = payload.metrics.of(metric);
  return intervals.includes(interval)
    ? 'The page does not hold its buckets; the SQL below gives them.'
    : `It has no buckets by ${interval}: ${metric} is computed by ${intervals.join(', ')} only.`;
}

/** Newest first, or disagreements first; a page at a time. */
function bucketTable(
  { here, chain, metric, interval, series }: DetailsContext,
  points: readonly PlottedPoint[],
): HTMLElement {
  const newest = [...points].reverse();
  const rank = ({ verdict }: PlottedPoint) => {
    const group = verdict === null ? 'agrees' : groupOf(verdict);
    return group === 'waiting' ? verdictGroups.length : verdictGroups.indexOf(group);
  };
  const worst = [...newest].sort((a, b) => rank(a) - rank(b));
  const scale = series?.scale ?? 1;
  const row = (point: PlottedPoint) => {
    const group = point.verdict === null ? null : groupOf(point.verdict);
    const place = { ...here, chain, interval, metric, bucket: bucketName(point.bucket, interval) };
    return [
      element('a', { href: placeHref(place) }, bucketText(point.bucket, interval)),
      ownText(point),
      servedText(point),
      differenceText(point, scale) ?? '–',
      blocksText(point),
      group === null ? 'not compared' : marked(group, String(point.verdict)),
    ];
  };
  const names = [`${interval} (UTC)`, 'own', 'served', 'served − own', 'blocks', 'verdict'];
  const list = pager({
    caption: plural(points.length, 'bucket'),
    names,
    perPage: rowsPerPage,
    read: async (from, most) => (order.value === 'worst' ? worst : newest).slice(from, from + most).map(row),
    total: points.length,
  });
  const order = element(
    'select',
    { id: 'bucket-order', change: () => list.reset() },
    element('option', { value: 'newest' }, 'newest first'),
    element('option', { value: 'worst' }, 'what does not agree first'),
  );
  list.reset();
  return element('div', {}, element('p', {}, element('label', { for: 'bucket-order' }, 'Buckets, '), order), list.root);
}
