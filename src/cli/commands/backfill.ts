import { FirnError } from '../../core/firnError.ts';
import { parseBound } from '../../core/heights/findHeight.ts';
import { isDay } from '../../core/input/isDay.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { planStreams } from '../../run/planStreams.ts';
import { syncStreams } from '../../run/read/syncStreams.ts';
import { phases } from '../../run/records/runReport.ts';
import {
  type BackfillRequest,
  backfillPartition,
  canBackfill,
  canBackfillLake,
} from '../../run/upkeep/backfillPartition.ts';
import { readConfigured } from '../config/configured.ts';
import { limitOptions, waitOption } from '../options/runOptions.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';
import { type Chosen, runChosen } from '../runs/runChosen.ts';

interface Options extends Omit<Chosen, 'select'> {
  readonly from?: string;
  readonly again?: string;
  readonly onlyRead?: boolean;
}

/** `firn backfill`: what lies below the first row, or days once more. */
export const backfillCommand: RegisterCommand = (program, act) => {
  const command = program
    .command('backfill [stream...]')
    .description('read history below the first row, or days again; then build, reconcile and publish')
    .option(
      '--from <bound>',
      'how far down to read: a height, a date, or an age such as -90d; a backfill that was interrupted is read to its end first',
    )
    .option('--again <day>', 'a day (2026-11-03) or days (2026-11-03..2026-11-05, UTC) to read again and recompute')
    .option('-p, --pipeline <name...>', 'pipelines of the configuration')
    .option('--only-read', 'do not build, reconcile and publish afterwards');
  limitOptions(command);
  waitOption(command);
  command.action(act((context, select: string[], options: Options) => backfill(context, select, options)));
};

async function backfill(context: CliContext, select: readonly string[], options: Options): Promise<number> {
  const request = requestOf(options);
  const selection = { select, pipelines: options.pipeline };
  const configured = await readConfigured(context.global);
  const { settings, registry } = configured;
  const planned = planStreams(settings, registry.catalogue, selection);
  const streams = planned.map(({ stream }) => stream);
  const whole = idsOf(streams.filter((stream) => !canBackfill(stream)));
  const isHeight = 'from' in request && 'height' in parseBound(request.from);
  const byTime = idsOf(streams.filter((stream) => isHeight && 'byTime' in stream));
  const once = idsOf(streams.filter((stream) => settings.engine && canBackfill(stream) && !canBackfillLake(stream)));
  const possible = idsOf(streams).filter((id) => ![...whole, ...byTime, ...once].includes(id));
  const wholeText = `${whole.join(', ')}: read whole at every run, so there is nothing to read again.`;
  const timeText = `${byTime.join(', ')}: there are no heights in it. Ask for it by a date or an age, such as --from 2026-01-01.`;
  const onceText = `${once.join(', ')}: a cluster reads it once. Take it to one machine (firn migrate --to machine), backfill there, and take it back.`;
  if (possible.length === 0)
    throw new FirnError('usage', once.length > 0 ? onceText : byTime.length > 0 ? timeText : wholeText);
  // Read, streams without bounds would be noted as not offered, which their source does offer.
  if (select.length > 0 && whole.length > 0) context.console.note(`Left out: ${wholeText}`);
  if (byTime.length > 0) context.console.note(`Left out: ${timeText}`);
  if (once.length > 0) context.console.note(`Left out: ${onceText}`);
  const chosen = { ...options, select: possible };
  if (settings.engine) {
    if ([options.maxTime, options.maxUnits, options.wait].some((option) => option !== undefined)) throw unlimited;
    const { runClusterWorker } = await import('../runs/runClusterWorker.ts');
    const of = { ...selection, select: chosen.select };
    return runClusterWorker(context, configured, { selection: of, untilIdle: true, backfill: request });
  }
  return runChosen(context, options.onlyRead ? ['sync'] : phases, chosen, (sync) =>
    syncStreams({ ...sync, readStream: (stream, partition) => backfillPartition(stream, partition, request) }),
  );
}

const unlimited = new FirnError(
  'usage',
  'On a cluster firn backfill takes neither --max-time nor --max-units nor --wait: all workers read what it asks for, whatever else runs. Say in firn.yaml, by sources.*.quota, what they may spend together. Nothing was read.',
);

const idsOf = (streams: readonly Stream[]) => [...new Set(streams.map(({ id }) => id))];

function requestOf({ from, again }: Options): BackfillRequest {
  if ((from === undefined) === (again === undefined))
    throw new FirnError(
      'usage',
      'Say either how far down to read (--from 2026-01-01) or what to read again (--again 2026-11-03).',
    );
  if (from !== undefined) {
    parseBound(from);
    return { from };
  }
  const [first = '', last = first, ...more] = (again ?? '').split('..');
  if (more.length > 0 || !isDay(first) || !isDay(last))
    throw new FirnError(
      'usage',
      `--again ${again} is not a day. Write 2026-11-03, or 2026-11-03..2026-11-05 for several.`,
    );
  if (first > last) throw new FirnError('usage', `--again ${again} ends before it begins. Write ${last}..${first}.`);
  return { again: { first, last } };
}
