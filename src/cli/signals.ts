import type { createConsole } from './console.ts';

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C, SIGTERM and SIGHUP (the terminal is gone) raise an abort signal whose reason is the signal's name: what is read is committed, then the
 * run ends. A second one ends the process at once; what was committed stays then too.
 */
export function listenForSignals(output: ReturnType<typeof createConsole>): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    output.note(
      `${name === 'SIGINT' ? 'Ctrl-C' : name}: finishing what is under way, then stopping. Once more to stop at once.`,
    );
    controller.abort(name);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
