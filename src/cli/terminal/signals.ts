import { isatty } from 'node:tty';
import { signalExit } from '../../core/exitCode.ts';
import type { Console } from './console.ts';
import { signalName } from './signalName.ts';

/** `timeout` signals a process and its group: what comes twice so soon was sent once. In milliseconds. */
const echoMs = 200;

/**
 * Ctrl-C, SIGTERM and SIGHUP (the terminal is gone) raise an abort signal whose reason is the signal's name: what is read is committed, then
 * the run ends. A second one ends the process at once; what was committed stays then too.
 */
export function listenForSignals(output: Console): { signal: AbortSignal; stop(): void } {
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const controller = new AbortController();
  let raisedAt = 0;
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - raisedAt > echoMs) process.exit(signalExit(name));
      return;
    }
    raisedAt = performance.now();
    output.note(`${signalName(name)}: finishing what is under way, then stopping. Once more to stop at once.`);
    controller.abort(name);
  };
  // A shell sends it once more. Without a terminal it is left alone: Node undoes what nohup does, which leaves none.
  const onHangup = (name: NodeJS.Signals) => {
    if (hasTerminal && !controller.signal.aborted) onSignal(name);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangup);
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onHangup);
    },
  };
}
