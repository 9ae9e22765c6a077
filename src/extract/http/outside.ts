import type { Dispatcher } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import { openConnections } from '../connections/openConnections.ts';

/** What network code takes from the world around it, in one place, so that a test can stand in for it. */
export interface Outside {
  readonly clock: Clock;
  /** 0 <= random < 1 */
  readonly random: () => number;
  /** Opens connections to an origin. */
  readonly connect: (origin: string, options: { readonly connections: number; readonly timeout: number }) => Dispatcher;
}

export const realOutside: Outside = {
  clock: systemClock,
  random: Math.random,
  connect: openConnections,
};
