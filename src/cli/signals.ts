import type { createConsole } from './console.ts';

/**
 * Ctrl-C and SIGTERM raise an abort signal whose reason is the signal's name: what is read is committed, then the run ends. A
 * second one ends the process at once; what was committed stays then too.
 */
export function listenForSignals(output: ReturnType<typeof createConsole>): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === 'SIGTERM' ? 143 : 130);
    output.note(
      `${name === 'SIGINT' ? 'Ctrl-C' : name}: finishing what is under way, then stopping. Once more to stop at once.`,
    );
    controller.abort(name);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
