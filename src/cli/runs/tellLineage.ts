import { randomUUID } from 'node:crypto';
import { messageOf } from '../../core/firnError.ts';
import { unsetText, unsetVariable } from '../../core/input/unsetVariable.ts';
import { createRedactor } from '../../core/text/redact.ts';
import { packageVersion } from '../../load/packageFiles.ts';
import type { Registry } from '../../run/extend/registry.ts';
import { lineageEvents } from '../../run/lineage/lineageEvents.ts';
import { modelLineage } from '../../run/lineage/modelLineage.ts';
import { sendLineage } from '../../run/lineage/sendLineage.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import type { Settings } from '../../run/settings.ts';
import { type Configured, urlsOf } from '../config/configured.ts';
import type { Console } from '../terminal/console.ts';

/** Tells the configured lineage service, if any, what a run did. What fails there is a remark, never a failed run. */
export async function tellLineage(
  { settings, registry }: Configured,
  console: Console,
  report: RunReport,
): Promise<void> {
  const { lineage } = settings;
  if (!lineage) return;
  const unset = unsetVariable(lineage);
  if (unset !== undefined) {
    console.warn(`${unsetText('lineage', unset)}: no lineage was sent.`);
    return;
  }
  try {
    await sendLineage(lineage, await eventsOf(settings, report, registry));
  } catch (error) {
    // A URL's path may hold a secret: only the host is named.
    const to = 'file' in lineage ? lineage.file : new URL(lineage.url).host;
    console.warn(
      `The lineage of this run could not be written to ${to}: ${messageOf(error)}. The run itself is as the summary says.`,
    );
  }
}

async function eventsOf(settings: Settings, report: RunReport, registry: Registry) {
  const origins = Object.fromEntries(
    registry.sources.flatMap((source) => {
      const [url = ''] = urlsOf(source, settings.sources[source.name]);
      return URL.canParse(url) ? [[source.name, new URL(url).origin]] : [];
    }),
  );
  return lineageEvents({
    report,
    endedAt: new Date().toISOString(),
    warehouse: settings.warehouse,
    version: packageVersion(),
    streams: registry.catalogue,
    origins,
    models: report.models.some(({ seconds }) => seconds > 0) ? await modelLineage(registry.models) : [],
    hide: createRedactor(settings.fromEnvironment ?? []),
    newId: randomUUID,
  });
}
