import type { SyncListener } from '../read/syncStreams.ts';

/** Tells several listeners. */
export const joinListeners = (...all: readonly SyncListener[]): Required<SyncListener> => ({
  planned: (...told) => {
    for (const one of all) one.planned?.(...told);
  },
  started: (...told) => {
    for (const one of all) one.started?.(...told);
  },
  progress: (...told) => {
    for (const one of all) one.progress?.(...told);
  },
  finished: (result) => {
    for (const one of all) one.finished?.(result);
  },
});
