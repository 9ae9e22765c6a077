import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../disk/makeFolder.ts';
import { postJson } from '../../extract/connections/postJson.ts';
import type { Settings } from '../settings.ts';
import type { LineageEvent } from './lineageEvents.ts';

/** For all events of a run together: no run waits longer for lineage. */
const timeoutMs = 10_000;

/**
 * Posts each event to the endpoint, or appends it as a line to the file. The first that fails is the last that is tried.
 *
 * @throws Error with the reason; a URL's path and query are not in it
 */
export async function sendLineage(
  to: NonNullable<Settings['lineage']>,
  events: readonly LineageEvent[],
): Promise<void> {
  if ('file' in to) {
    await makeFolder(dirname(to.file));
    await appendFile(to.file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return;
  }
  const signal = AbortSignal.timeout(timeoutMs);
  for (const event of events) {
    const status = await postJson(to.url, event, { headers: to.headers, signal });
    if (status >= 300) throw new Error(`${new URL(to.url).host} answered ${status}`);
  }
}
