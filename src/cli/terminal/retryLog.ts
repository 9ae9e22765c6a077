import type { Log } from '../../core/log.ts';

/** A log that gathers what repeats; `close` writes what it still holds. */
export interface RetryLog extends Log {
  close(): void;
}

interface Gathered {
  count: number;
  fields: Record<string, unknown>;
  message: string;
  readonly timer: NodeJS.Timeout;
}

const minute = 60_000;

/** Writes retries (warnings whose fields name an `origin`) as one line per origin and minute: how many there were, and the last. */
export function retryLog(log: Log): RetryLog {
  const open = new Map<string, Gathered>();
  const flush = (origin: string) => {
    const gathered = open.get(origin);
    if (!gathered) return;
    open.delete(origin);
    clearTimeout(gathered.timer);
    const { count, fields, message } = gathered;
    if (count === 1) log.warn(fields, message);
    else
      log.warn(
        { ...fields, retries: count },
        `${count} requests were tried again within a minute; the last: ${message}`,
      );
  };
  return {
    debug: (fields, message) => log.debug(fields, message),
    warn(fields, message) {
      const { origin } = fields;
      if (typeof origin !== 'string') return log.warn(fields, message);
      const known = open.get(origin);
      if (known) Object.assign(known, { count: known.count + 1, fields, message });
      else open.set(origin, { count: 1, fields, message, timer: setTimeout(() => flush(origin), minute).unref() });
    },
    close: () => [...open.keys()].forEach(flush),
  };
}
