import { FirnError } from '../../core/firnError.ts';
import type { Settings } from '../../run/settings.ts';
import type { Engine, Stage } from '../contract.ts';
import { createTrinoClient } from '../trino/trinoClient.ts';
import { createTrinoEngine } from './trinoEngine.ts';

/** The engine that a configuration names. Nothing is asked of it yet. */
export function openEngine({ engine }: Settings, stage: Stage, signal?: AbortSignal): Engine {
  if (!engine) throw new FirnError('config', 'The configuration names no cluster. Add control, stage and engine.');
  const { trino: url, user = 'firn', password, catalog, stageCatalog = 'stage' } = engine;
  const client = createTrinoClient({ url, user, password, catalog, signal });
  return createTrinoEngine({ client, stageCatalog, stageRoot: stage.root });
}
