import type { LakeView } from '../cluster/lake/openLakeView.ts';
import type { Settings } from '../run/settings.ts';

/** The cluster that a configuration names, to be looked at; undefined where it names none, and nothing of clusters is loaded then. */
export const clusterView = async (settings: Settings): Promise<LakeView | undefined> =>
  settings.engine && (await import('../cluster/lake/openLakeView.ts')).openLakeView(settings);
