import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LakeView } from '../../cluster/lake/openLakeView.ts';
import { FirnError } from '../../core/firnError.ts';
import { ownReaderFile } from '../../publish/reader/readerPaths.ts';
import { assessHealth } from '../../report/health/assessHealth.ts';
import { readComments, readRelations } from '../../report/read/readRelations.ts';
import { readReport } from '../../report/read/readReport.ts';
import { createReportServer, type ServedData } from '../../report/reportServer.ts';
import type { Settings } from '../../run/settings.ts';
import { type Configured, readConfigured } from '../config/configured.ts';
import { serveDocument } from '../json/otherDocuments.ts';
import { reportContext } from '../open/reportContext.ts';
import { clusterView, withPublished } from '../open/withPublished.ts';
import { maxAgeOf } from '../options/maxAgeOf.ts';
import { port } from '../options/optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { outliveOutput } from '../terminal/outputErrors.ts';

/** `firn serve`: the report with the newest published data, read-only, for this machine alone. */
export const serveCommand: RegisterCommand = (program, act) => {
  program
    .command('serve')
    .description(
      'show the report, every published table and a box for SQL on a port of this machine until Ctrl-C; also /report.json, /healthz, and /metrics for Prometheus',
    )
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', port, 8080)
    .option('--chain <id...>', 'chains whose metrics are drawn')
    .action(
      act(async ({ global, console, signal }, options: { readonly port: number; readonly chain?: string[] }) => {
        const configured = await readConfigured({ ...global, onlyShows: true });
        const { settings } = configured;
        // An unknown chain is reported now, not on the page.
        if (options.chain) await loadServed(configured, options.chain);
        const cluster = await clusterView(settings);
        const server = createReportServer({
          load: () => loadServed(configured, options.chain),
          tables: settings.engine ? tablesOfCluster(settings.engine) : { folder: settings.warehouse },
          version: async () =>
            cluster ? `"${(await cluster.state()).version}"` : await publishedVersion(settings.warehouse),
          state: () => unpublishedState(configured, cluster),
        });
        try {
          await listen(server, options.port);
          const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
          console.data(serveDocument, { url });
          console.print(`The report is at ${url}. Ctrl-C ends it.`);
          outliveOutput();
          if (!signal.aborted) await once(signal, 'abort');
          server.close();
          server.closeAllConnections();
        } finally {
          await cluster?.close();
        }
        return 0;
      }),
    );
};

/** One version a time: the reader database is reopened for each, so that one swapped in by a publish is seen. */
const loadServed = (configured: Configured, chains: readonly string[] | undefined): Promise<ServedData> =>
  withPublished(configured, async (reader, context, cluster) => {
    const relations = await readRelations(reader);
    const report = await readReport(reader, relations, { ...context, models: configured.registry.models, chains });
    return {
      report,
      health: assessHealth(report, maxAgeOf(configured.settings)),
      relations,
      // They are for the pages of tables, which a cluster has elsewhere.
      comments: cluster ? new Map() : await readComments(reader),
    };
  });

/** The tables of a cluster are asked through Trino. */
const tablesOfCluster = ({ trino, catalog, schema }: NonNullable<Settings['engine']>) => ({
  elsewhere: `The tables of a cluster are read with Trino's own clients: ${schema}_published_* of the catalog ${catalog} at ${trino}.`,
});

/** While a run goes on, its progress is reported again after this long. */
const progressMs = 10_000;

/** What changes beside what is published: runs that begin, go on and end, and what is unresolved. */
async function unpublishedState(configured: Configured, cluster: LakeView | undefined): Promise<string> {
  const known = cluster && (await cluster.state()).unresolved;
  const { now, running, runs, unresolved } = await reportContext(
    configured,
    // What it says of these is asked below, and of PostgreSQL alone.
    cluster && { unresolved: async () => null, outcomes: async () => ({ last: [], read: [], heardAt: null }) },
  );
  const progress = running && [running.runId, running.phase, Math.floor(now / progressMs)];
  return JSON.stringify([
    progress,
    runs.map(({ runId, exitCode, isGoing }) => [runId, exitCode, isGoing]),
    known ?? unresolved,
  ]);
}

/** A publish renames another file into place: its identity and time tell the versions apart. */
async function publishedVersion(folder: string): Promise<string> {
  try {
    const { ino, mtimeMs } = await stat(ownReaderFile(folder));
    return `"${ino}-${Math.round(mtimeMs)}"`;
  } catch {
    return '"none"';
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new FirnError(
      'usage',
      `Could not listen on 127.0.0.1:${port}: ${(error as Error).message}. Name another port with --port, or 0 for a free one.`,
      { cause: error },
    );
  }
}
