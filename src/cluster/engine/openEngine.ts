import { FirnError } from '../../core/firnError.ts';
import { type Settings, unsetVariable } from '../../run/settings.ts';
import type { Engine, Stage } from '../contract.ts';
import { createTrinoClient, type TrinoClient } from '../trino/trinoClient.ts';
import { createTrinoEngine } from './trinoEngine.ts';

/** How the engine of a configuration is reached. @throws FirnError `config` */
export function engineOf({ engine }: Pick<Settings, 'engine'>): NonNullable<Settings['engine']> {
  if (engine === undefined)
    throw new FirnError('config', 'The configuration names no cluster. Add control, stage and engine.');
  const unset = unsetVariable(engine);
  if (unset === undefined) return engine;
  throw new FirnError(
    'config',
    `engine takes a value from the environment variable ${unset}, which is not set. Set it and run again.`,
  );
}

/** The engine that a configuration names. Nothing is asked of it yet. @throws FirnError `config` */
export function openEngine(
  settings: Pick<Settings, 'engine'>,
  stage: Pick<Stage, 'root'>,
  signal?: AbortSignal,
): Engine {
  const { schema, stageCatalog } = engineOf(settings);
  return createTrinoEngine({ client: openTrino(settings, signal), schema, stageCatalog, stageRoot: stage.root });
}

/** The Trino that a configuration names. Nothing is asked of it yet. @throws FirnError `config` */
export function openTrino(settings: Pick<Settings, 'engine'>, signal?: AbortSignal): TrinoClient {
  const { trino: url, catalog, user, password } = engineOf(settings);
  return createTrinoClient({ url: url.replace(/\/+$/, ''), user, password, catalog, signal });
}
