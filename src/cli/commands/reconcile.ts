import { FirnError } from '../../core/firnError.ts';
import { type Interval, intervals } from '../../transform/bucketTime.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { explain } from '../../transform/reconcile/explain.ts';
import { readConfigured } from '../config/configured.ts';
import { explanationDocument } from '../json/explanationDocument.ts';
import { openPublished } from '../open/withPublished.ts';
import { withReader } from '../open/withReader.ts';
import { oneOf } from '../options/optionValues.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';
import { runChosen } from '../runs/runChosen.ts';
import { explanationText } from '../text/explanationText.ts';

/** `firn reconcile`: recomputed against served; with --explain, from one number down to its blocks. */
export const reconcileCommand: RegisterCommand = (program, act) => {
  program
    .command('reconcile')
    .description('compare recomputed with served metrics; --explain leads from a number to its blocks')
    .option(
      '--explain <chain metric bucket...>',
      'one number: both sides, definition, blocks, the rows that count most, SQL',
    )
    .option('--interval <interval>', 'hour, day, week or month of --explain; day otherwise', oneOf(intervals))
    .action(
      act((context, { explain: words, interval }: { explain?: string[]; interval?: Interval }) => {
        if (words) return explainBucket(context, words, interval);
        if (interval) throw new FirnError('usage', '--interval belongs to --explain: all intervals are compared.');
        return runChosen(context, ['reconcile'], {});
      }),
    );
};

async function explainBucket(
  { global, console }: CliContext,
  words: readonly string[],
  interval: Interval = 'day',
): Promise<number> {
  const [chain, metric, bucket, ...more] = words;
  if (chain === undefined || metric === undefined || bucket === undefined || more.length > 0)
    throw new FirnError(
      'usage',
      '--explain takes a chain, a metric and a bucket, such as: firn reconcile --explain 43114 txCount 2026-02-07',
    );
  const { settings, registry } = await readConfigured({ ...global, onlyShows: true });
  const { models = await readModels() } = registry;
  const explanation = await withReader(openPublished(settings), (reader) =>
    explain(reader, models, { chain, metric, bucket, interval }),
  );
  console.data(explanationDocument, explanation);
  console.print(explanationText(explanation));
  return 0;
}
