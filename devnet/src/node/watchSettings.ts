import type { Head } from '../types.ts';
import { type NodeSettings, wholeNode } from './nodeSettings.ts';

/** Moments of chain time, the first excluded, between which nothing was indexed. */
export type Unindexed = readonly (readonly [from: number, to: number])[];

/** The settings of a running node, and what follows from how they changed. */
export interface LiveSettings {
  now(): NodeSettings;
  unindexed(): Unindexed;
  change(changes: Partial<NodeSettings>): void;
  /** Counts one request. Gives false where the node is down and the request gets no answer. */
  admit(): boolean;
}

/** Requests for which a restarting node is down, and then bootstrapping. */
const phase = 3;

export function watchSettings(head: Head, options: Partial<NodeSettings>): LiveSettings {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(wholeNode, name));
  let settings: NodeSettings = { ...wholeNode, ...Object.fromEntries(own) };
  let unindexed: Unindexed = [];
  let offSince = Number.NEGATIVE_INFINITY;
  let requests = 0;
  /** Requests since the last restart began; Infinity before the first. */
  const sinceRestart = (): number => {
    const { restartEvery } = settings;
    return restartEvery === 0 || requests <= restartEvery ? Infinity : (requests - 1) % restartEvery;
  };
  return {
    now: () => (sinceRestart() < 2 * phase ? { ...settings, without: [...settings.without, 'bootstrap'] } : settings),
    unindexed: () => unindexed,
    change(changes) {
      const wasOff = settings.without.includes('index');
      settings = { ...settings, ...changes };
      const isOff = settings.without.includes('index');
      if (isOff && !wasOff) offSince = head.now();
      // An index that was never on counts as rebuilt from genesis.
      if (wasOff && !isOff && offSince > Number.NEGATIVE_INFINITY) unindexed = [...unindexed, [offSince, head.now()]];
    },
    admit() {
      requests++;
      return sinceRestart() >= phase;
    },
  };
}
