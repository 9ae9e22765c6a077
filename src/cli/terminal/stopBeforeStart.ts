import { signalExit } from '../../core/exitCode.ts';
import { signalName } from './signalName.ts';

/**
 * Says by which signal the process ends before its command listens to signals, and after it no longer does: while it loads, a log would have no
 * line of it.
 */
export function stopBeforeStart(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (process.listenerCount(name) > 1) return;
      process.stderr.write(`firn: Stopped by ${signalName(name)}.\n`);
      process.exit(signalExit(name));
    });
}
