import { hostname } from 'node:os';
import { duckdbType } from '../../core/columnType.ts';
import type { Stream } from '../../core/stream.ts';
import type { Table } from '../../core/table.ts';
import type { PlacedModel } from '../../transform/model.ts';
import type { RunReport } from '../records/runReport.ts';

/** What the events of a run are made of. */
export interface LineageFacts {
  readonly report: Pick<
    RunReport,
    'runId' | 'command' | 'pipelines' | 'startedAt' | 'exitCode' | 'partitions' | 'models' | 'problems'
  >;
  /** When the run ended, RFC 3339. */
  readonly endedAt: string;
  /** The warehouse folder. */
  readonly warehouse: string;
  readonly version: string;
  readonly streams: readonly Stream[];
  /** Origin of each source, without user, password, path and query. */
  readonly origins: Readonly<Partial<Record<string, string>>>;
  /** The models of `sql/models` with what they read. */
  readonly models: readonly PlacedModel[];
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string;
  newId(): string;
}

type Facet = Readonly<Record<string, unknown>>;
type Facets = Readonly<Record<string, Facet>>;

interface Dataset {
  readonly namespace: string;
  readonly name: string;
  readonly facets?: Facets;
  readonly outputFacets?: Facets;
}

/** A RunEvent of OpenLineage 2-0-2. */
export interface LineageEvent {
  readonly eventType: 'START' | 'COMPLETE' | 'FAIL' | 'ABORT';
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  readonly run: { readonly runId: string; readonly facets?: Facets };
  readonly job: { readonly namespace: string; readonly name: string; readonly facets: Facets };
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
}

const specification = 'https://openlineage.io/spec';

/**
 * The start and the end of a run, from what its sources gave to the raw tables, and of each model that it built, from what the model
 * reads, as children of the run. A run that built nothing has only its own.
 */
export function lineageEvents(facts: LineageFacts): LineageEvent[] {
  const { report, endedAt, warehouse, version, streams, origins, models, hide, newId } = facts;
  const producer = `pkg:npm/firn-etl@${version}`;
  const facet = (name: string, of: string, members: object): Facet => ({
    _producer: producer,
    _schemaURL: `${specification}/facets/${of}/${name}.json#/$defs/${name}`,
    ...members,
  });
  const namespace = `firn://${hostname()}${warehouse.startsWith('/') ? '' : '/'}${warehouse}`;
  const job = (name: string, jobType: string, more: Facets) => ({
    namespace,
    name,
    facets: {
      jobType: facet('JobTypeJobFacet', '2-0-3', { processingType: 'BATCH', integration: 'FIRN', jobType }),
      ...more,
    },
  });
  const schema = (fields: readonly object[]) => ({ schema: facet('SchemaDatasetFacet', '1-1-1', { fields }) });
  const rawTable = ({ name, columns }: Table): Dataset => ({
    namespace,
    name,
    facets: schema(
      columns.map((column) => ({ name: column.name, type: duckdbType(column.type), description: column.description })),
    ),
  });
  /** Both ends: what reads events expects that a run begins before it ends. */
  const ends = (
    ended: Omit<LineageEvent, 'eventTime' | 'producer' | 'schemaURL'>,
    startedAt: string,
  ): LineageEvent[] => {
    const { eventType, run, ...rest } = ended;
    const common = { producer, schemaURL: `${specification}/2-0-2/OpenLineage.json#/$defs/RunEvent` };
    const { errorMessage: _, ...facets } = run.facets ?? {};
    return [
      { eventType: 'START', eventTime: startedAt, ...common, run: { ...run, facets }, ...rest },
      { eventType, eventTime: endedAt, ...common, run, ...rest },
    ];
  };

  const read = streams.filter(({ id }) =>
    report.partitions.some(({ stream, outcome }) => stream === id && outcome !== 'not_offered'),
  );
  const own = job([report.command, ...report.pipelines].join('.'), 'RUN', {});
  const reasons = [
    ...report.problems.map(({ message }) => message),
    ...report.partitions.flatMap(({ stream, partition, outcome, message }) =>
      outcome === 'failed' ? [`${stream} (${partition}): ${message}`] : [],
    ),
  ];
  const eventType = endOf(report.exitCode);
  const error = facet('ErrorMessageRunFacet', '1-0-1', {
    message: hide(reasons.join('\n')) || `exit code ${report.exitCode}`,
    programmingLanguage: 'TypeScript',
  });
  const parent = facet('ParentRunFacet', '1-1-0', {
    run: { runId: report.runId },
    job: { namespace, name: own.name },
  });
  const built = models.flatMap((model) => {
    const result = report.models.find(({ name, seconds }) => name === model.name && seconds > 0);
    return result ? [{ ...model, ...result }] : [];
  });
  return [
    ...ends(
      {
        eventType,
        run: { runId: report.runId, facets: eventType === 'FAIL' ? { errorMessage: error } : {} },
        job: own,
        inputs: read.map(({ source, id }) => ({ namespace: hide(origins[source.name] ?? source.name), name: id })),
        outputs: read.flatMap(({ table, children }) =>
          [table, ...Object.values(children).map((child) => child.table)].map(rawTable),
        ),
      },
      report.startedAt,
    ),
    ...built.flatMap(({ name, description, sql, columns, references, kind, rows }) =>
      ends(
        {
          eventType: 'COMPLETE',
          run: { runId: newId(), facets: { parent } },
          job: job(name, 'MODEL', {
            sql: facet('SQLJobFacet', '1-0-1', { query: sql }),
            documentation: facet('DocumentationJobFacet', '1-0-1', { description }),
          }),
          inputs: references.map((table) => ({ namespace, name: table })),
          outputs: [
            {
              namespace,
              name,
              facets: schema(Object.entries(columns).map(([column, text]) => ({ name: column, description: text }))),
              ...(kind === 'table' && {
                outputFacets: {
                  outputStatistics: facet('OutputStatisticsOutputDatasetFacet', '1-0-2', { rowCount: rows }),
                },
              }),
            },
          ],
        },
        report.startedAt,
      ),
    ),
  ];
}

/** Differences and quarantine are findings of a run that did its work. */
function endOf(exitCode: number): LineageEvent['eventType'] {
  if (exitCode === 130 || exitCode === 143) return 'ABORT';
  return [0, 3, 4].includes(exitCode) ? 'COMPLETE' : 'FAIL';
}
