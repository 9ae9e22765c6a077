import { clusterPart, type Settings } from '../../run/settings.ts';
import type { Engine, Stage } from '../contract.ts';
import { createTrinoClient, type TrinoClient } from '../trino/trinoClient.ts';
import { createTrinoEngine } from './trinoEngine.ts';

/** The engine that a configuration names. Nothing is asked of it yet. @throws FirnError `config` */
export function openEngine(
  settings: Pick<Settings, 'engine'>,
  stage: Pick<Stage, 'root'>,
  signal?: AbortSignal,
): Engine {
  const { schema, stageCatalog } = clusterPart(settings, 'engine');
  return createTrinoEngine({ client: openTrino(settings, signal), schema, stageCatalog, stageRoot: stage.root });
}

/** The Trino that a configuration names. Nothing is asked of it yet. @throws FirnError `config` */
export function openTrino(settings: Pick<Settings, 'engine'>, signal?: AbortSignal): TrinoClient {
  const { trino: url, catalog, user, password } = clusterPart(settings, 'engine');
  return createTrinoClient({ url: url.replace(/\/+$/, ''), user, password, catalog, signal });
}
