import { FirnError } from '../../core/firnError.ts';
import { isWhole, readersText } from '../../publish/isWhole.ts';
import { type PublishResult, publish } from '../../publish/publish.ts';
import { loadReferences } from '../../references/loadReferences.ts';
import { readModels } from '../../transform/readModels.ts';
import { layoutsOf } from '../layoutsOf.ts';
import { dropHistory } from '../upkeep/dropHistory.ts';
import type { Session } from './session.ts';
import { doneBefore, remember, stateText, stepsText } from './steps.ts';

interface KeptPublish {
  readonly published: PublishResult;
  readonly readers: string;
}

/** Makes a version for readers of the state as it is, unless the one they have shows it. */
export async function publishPhase(session: Session): Promise<void> {
  const { options, project, run, isWholeRun, outcome, fail } = session;
  const { warehouse, settings } = project;
  // What is not built yet, or not well, must not go.
  if (settings.keep !== undefined && run.phases.includes('build') && outcome.heldBack.length === 0)
    outcome.dropped = (
      await dropHistory(warehouse, project.declared, {
        keep: { days: Number.parseInt(settings.keep, 10) },
        models: options.models,
      })
    ).dropped;
  for (const { message } of await loadReferences(warehouse)) fail(new FirnError('contract', message));
  const { keepVersions, root } = settings.publish;
  const held = outcome.heldBack.map(({ relation, audit }) => `${relation} ${audit}`).join();
  const state = `${await stateText(warehouse)} ${await stepsText(warehouse)} ${keepVersions} ${held}`;
  const still = isWholeRun && !options.rehash ? await stillPublished(project, state) : undefined;
  if (still) {
    outcome.published = still;
    return;
  }
  await session.noteReport();
  const published = await publish(warehouse, {
    runId: run.runId,
    layouts: layoutsOf(project.declared, options.models ?? (await readModels())),
    keepVersions,
    ...(root && { root }),
    ...(options.rehash && { rehash: true }),
    signal: options.signal,
  });
  outcome.published = published;
  const kept: KeptPublish = { published, readers: await readersText(settings.warehouse, root) };
  await remember(warehouse, 'publish', state, kept);
}

/** The version that shows this very state, where it and what readers open are as they were made. */
async function stillPublished(
  { warehouse, settings }: Session['project'],
  state: string,
): Promise<PublishResult | undefined> {
  const kept = await doneBefore<KeptPublish>(warehouse, 'publish', state);
  if (kept?.readers !== (await readersText(settings.warehouse, settings.publish.root))) return undefined;
  if (!(await isWhole(settings.warehouse, kept.published.version))) return undefined;
  return {
    ...kept.published,
    isNew: false,
    written: 0,
    reused: kept.published.reused + kept.published.written,
    removed: 0,
  };
}
