import { hostname } from 'node:os';
import { duckdbType } from '../../core/columns/columnType.ts';
import { didItsWork } from '../../core/exitCode.ts';
import { rowTables, type Stream } from '../../core/stream/stream.ts';
import { partitionText } from '../../core/text/partitionText.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
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
  /** Hides secrets in a text. */
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

type Ended = Omit<LineageEvent, 'eventTime' | 'producer' | 'schemaURL'>;

/**
 * The start and the end of a run, from what its sources gave to the raw tables, and of each model that it built, from what the model
 * reads, as children of the run. A run that built nothing has only its own.
 */
export function lineageEvents(facts: LineageFacts): LineageEvent[] {
  const { report, endedAt, warehouse, version, models } = facts;
  const words = wordsOf(
    `pkg:npm/firn-etl@${version}`,
    `firn://${hostname()}${warehouse.startsWith('/') ? '' : '/'}${warehouse}`,
  );
  const built = models.flatMap((model) => {
    const result = report.models.find(({ name, seconds }) => name === model.name && seconds > 0);
    return result ? [{ ...model, ...result }] : [];
  });
  const run = runOf(facts, words);
  return [run, ...built.map((model) => modelOf(model, run, facts, words))].flatMap((ended) =>
    words.ends(ended, report.startedAt, endedAt),
  );
}

/** What the run itself did: streams became raw tables. */
function runOf({ report, streams, origins, hide }: LineageFacts, { facet, job, dataset }: Words): Ended {
  const read = streams.filter(({ id }) =>
    report.partitions.some(({ stream, outcome }) => stream === id && outcome !== 'not_offered'),
  );
  const reasons = [
    ...report.problems.map(({ message }) => message),
    ...report.partitions.filter(({ outcome }) => outcome === 'failed').map(partitionText),
  ];
  const eventType = endOf(report.exitCode);
  const errorMessage = facet('ErrorMessageRunFacet', '1-0-1', {
    message: hide(reasons.join('\n')) || `exit code ${report.exitCode}`,
    programmingLanguage: 'TypeScript',
  });
  return {
    eventType,
    run: { runId: report.runId, facets: eventType === 'FAIL' ? { errorMessage } : {} },
    job: job([report.command, ...report.pipelines].join('.'), 'RUN', {}),
    inputs: read.map(({ source, id }) => ({ namespace: hide(origins[source.name] ?? source.name), name: id })),
    outputs: read.flatMap(rowTables).map(({ name, columns }) =>
      dataset(
        name,
        columns.map((column) => ({
          name: column.name,
          type: duckdbType(column.type),
          description: column.description,
        })),
      ),
    ),
  };
}

/** What became of a model in a run. */
function modelOf(
  { name, description, sql, columns, references, kind, rows }: PlacedModel & RunReport['models'][number],
  parent: Ended,
  { newId }: LineageFacts,
  { namespace, facet, job, dataset }: Words,
): Ended {
  const { runId } = parent.run;
  const outputs = dataset(
    name,
    Object.entries(columns).map(([column, text]) => ({ name: column, description: text })),
  );
  const outputStatistics = facet('OutputStatisticsOutputDatasetFacet', '1-0-2', { rowCount: rows });
  return {
    eventType: 'COMPLETE',
    run: {
      runId: newId(),
      facets: {
        parent: facet('ParentRunFacet', '1-1-0', { run: { runId }, job: { namespace, name: parent.job.name } }),
      },
    },
    job: job(name, 'MODEL', {
      sql: facet('SQLJobFacet', '1-0-1', { query: sql }),
      documentation: facet('DocumentationJobFacet', '1-0-1', { description }),
    }),
    inputs: references.map((table) => ({ namespace, name: table })),
    outputs: [{ ...outputs, ...(kind === 'table' && { outputFacets: { outputStatistics } }) }],
  };
}

const specification = 'https://openlineage.io/spec';

/** OpenLineage's words for what a warehouse holds. */
interface Words {
  readonly namespace: string;
  /** @param of version of the facet's schema */
  facet(name: string, of: string, members: object): Facet;
  job(name: string, jobType: string, more: Facets): LineageEvent['job'];
  dataset(name: string, fields: readonly object[]): Dataset;
  /** Start and end: readers of events expect that a run begins before it ends. */
  ends(ended: Ended, startedAt: string, endedAt: string): LineageEvent[];
}

function wordsOf(producer: string, namespace: string): Words {
  const facet: Words['facet'] = (name, of, members) => ({
    _producer: producer,
    _schemaURL: `${specification}/facets/${of}/${name}.json#/$defs/${name}`,
    ...members,
  });
  return {
    namespace,
    facet,
    job: (name, jobType, more) => ({
      namespace,
      name,
      facets: {
        jobType: facet('JobTypeJobFacet', '2-0-3', { processingType: 'BATCH', integration: 'FIRN', jobType }),
        ...more,
      },
    }),
    dataset: (name, fields) => ({
      namespace,
      name,
      facets: { schema: facet('SchemaDatasetFacet', '1-1-1', { fields }) },
    }),
    ends({ eventType, run, ...rest }, startedAt, endedAt) {
      const common = { producer, schemaURL: `${specification}/2-0-2/OpenLineage.json#/$defs/RunEvent` };
      const { errorMessage: _, ...facets } = run.facets ?? {};
      return [
        { eventType: 'START', eventTime: startedAt, ...common, run: { ...run, facets }, ...rest },
        { eventType, eventTime: endedAt, ...common, run, ...rest },
      ];
    },
  };
}

/** Differences and quarantine are findings of a run that did its work. */
function endOf(exitCode: number): LineageEvent['eventType'] {
  if (exitCode === 130 || exitCode === 143) return 'ABORT';
  return didItsWork(exitCode) ? 'COMPLETE' : 'FAIL';
}
