import { z } from 'zod';
import { FirnError } from '../core/firnError.ts';
import { daysPattern } from '../core/input/daysPattern.ts';
import { isCronExpression } from '../core/input/isCronExpression.ts';
import { refuseUnset } from '../core/input/unsetVariable.ts';
import type { Source } from '../core/stream/source.ts';
import { headers, keyedMembers, part, type SourceSettings, url } from '../core/stream/sourceSettings.ts';
import type { AddressLabel } from '../load/bookkeeping/keepLabels.ts';

/** Settings of the configured sources, by their names. */
export type ConfiguredSources = Readonly<Record<string, SourceSettings | undefined>>;

/** Where the parts of a warehouse of many machines lie. All three or none. */
const cluster = {
  control: z
    .string()
    .min(1)
    .describe(
      'PostgreSQL that hands out what is to be read, postgresql://user:password@host:5432/database. Take it from the environment: it holds a password.',
    )
    .optional(),
  stage: z
    .union([
      z.string().min(1),
      z.strictObject({
        uri: z.string().min(1).describe('s3://bucket/prefix'),
        endpoint: url.optional().describe("Endpoint of a store other than Amazon's."),
        region: z.string().optional(),
        accessKey: z.string().optional().describe("Default: the machine's own credentials."),
        secretKey: z.string().optional(),
      }),
    ])
    .optional()
    .describe('Where batches lie: s3://bucket/prefix, or a folder that all machines see, relative to this file.'),
  engine: z
    .strictObject({
      trino: url.describe('Coordinator of Trino.'),
      catalog: z.string().min(1).describe('Iceberg catalog of the tables.'),
      schema: z
        .string()
        .regex(/^[a-z][a-z0-9_]*$/, 'Write lower-case letters, digits and underscores')
        .default('firn')
        .describe('Prefix of its schemas: with firn they are firn_raw, firn_mart, firn_published_mart.'),
      stageCatalog: z.string().min(1).default('stage').describe('Hive catalog that reads the stage.'),
      user: z.string().min(1).default('firn'),
      password: z.string().optional(),
    })
    .optional()
    .describe('Trino, which makes tables of the batches and runs the SQL.'),
};

/** What is read, and when. */
const pipelines = z
  .record(
    z.string(),
    z.strictObject({
      schedule: z
        .string()
        .refine(
          isCronExpression,
          'Write a cron expression of five fields, such as "*/10 * * * *" (UTC), and its ranges from low to high: 22-23,0-2 in place of 22-2',
        )
        .optional()
        .describe('Cron expression, UTC.'),
      streams: z.record(z.string(), part(z.record(z.string(), z.unknown()))).describe('Stream name to its parameters.'),
    }),
  )
  .refine(
    (named) => Object.keys(named).every((name) => /^[^-]/.test(name)),
    'one has no name, or one that begins with "-": --pipeline could not take it',
  );

/** Who is notified of trouble. */
const notify = z
  .strictObject({
    webhook: url.describe(
      'Where a JSON message is posted. Its path is a secret: take it from the environment, as a key.',
    ),
    on: z
      .array(z.enum(['failed', 'mismatch', 'quarantined', 'stale']))
      .min(1)
      .optional()
      .describe('Kinds of trouble that are reported. Default: all.'),
    staleAfter: z
      .string()
      .regex(/^\d+(\.\d+)?[smhd]$/, 'Write a length of time, such as 6h')
      .default('24h')
      .describe(
        'How long nothing may be published, or a part of a stream not be read because its source does not answer, before that is reported, such as 6h.',
      ),
  })
  .optional()
  .describe('A webhook that is told of trouble when it begins, once a day while it lasts, and when it is over.');

/** Where the lineage of runs goes. */
const lineage = z
  .union(
    [
      z.strictObject({
        url: url.describe('Where each OpenLineage event is posted, such as http://marquez:5000/api/v1/lineage.'),
        headers: headers.optional(),
      }),
      z.strictObject({
        file: z.string().min(1).describe('Where each event is appended as a line; relative to this file.'),
      }),
    ],
    { error: 'write { url } or { file }' },
  )
  .optional()
  .describe('OpenLineage events of every run.');

/** Refuses a cluster that lacks a part, or is asked to do what it cannot. */
function wholeCluster(
  settings: Readonly<Partial<Record<keyof typeof cluster | 'keep', unknown>>>,
  context: z.RefinementCtx,
): void {
  if (settings.engine !== undefined && settings.keep !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['keep'],
      message: 'a cluster keeps raw rows whatever their age: leave keep out',
    });
  const names = ['control', 'stage', 'engine'] as const;
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === 0 || missing.length === names.length) return;
  context.addIssue({
    code: 'custom',
    path: [names.find((name) => settings[name] !== undefined) as string],
    message: `a cluster is control, stage and engine together, and ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
  });
}

/** What `firn.yaml` may say, given the sources that there are. One warehouse holds the pipelines of one file. */
export const settingsSchema = (sources: readonly Source[]) =>
  z
    .strictObject({
      ...cluster,
      warehouse: z.string().min(1).default('./warehouse').describe('Folder of the data, relative to this file.'),
      extend: z
        .string()
        .min(1)
        .optional()
        .describe('Folder of own streams, models, audits and notebooks, relative to this file (docs/extend.md).'),
      sources: z.strictObject(
        Object.fromEntries(
          sources.map(({ name, settings = z.strictObject(keyedMembers) }) => [name, settings.optional()]),
        ),
      ) as z.ZodType<ConfiguredSources>,
      pipelines,
      memoryLimit: z
        .string()
        .regex(/^[1-9]\d*(\.\d+)? ?[MGT]i?B$/, 'Write a size, such as 4GB')
        .optional()
        .describe(
          "Memory that DuckDB may take while it builds, reconciles and publishes, such as 4GB; default: half of the machine's.",
        ),
      keep: z
        .string()
        .regex(daysPattern, 'Write a number of days of at most five digits, such as 400d')
        .optional()
        .describe(
          'How long raw rows stay, such as 400d, counted back from the newest; older months are dropped by firn run. Marts and metrics keep all.',
        ),
      publish: part(
        z.strictObject({
          root: z
            .string()
            .regex(
              /^(?:\/|\\\\|[a-z][a-z0-9+]*:)/i,
              'is looked up by readers in any folder: write the whole path, such as /srv/firn/warehouse',
            )
            .optional()
            .describe('Path by which readers see the warehouse folder, from its root on.'),
          keepVersions: z.number().int().min(1).default(3).describe('Published versions kept.'),
        }),
      ).default({ keepVersions: 3 }),
      notify,
      lineage,
    })
    .superRefine(wholeCluster);

/** A checked configuration: defaults filled in, secrets resolved, the warehouse and `extend` absolute paths. */
export type Settings = z.infer<ReturnType<typeof settingsSchema>> & {
  /** What address files call their addresses. */
  readonly labels?: readonly AddressLabel[];
  /** Where a part of the configuration stands, as `file:line:column`; an address of a file that it names, as `file:line`. */
  readonly placeOf?: (path: readonly PropertyKey[]) => string;
  /** Values that came from the environment: in a header, or a URL's path or query, they are secrets. */
  readonly fromEnvironment?: readonly string[] | undefined;
};

/** The network that the configuration asks the services for, as it is stored; undefined where it names none. */
export function namedNetwork({ sources }: Pick<Settings, 'sources'>): string | undefined {
  const [named] = Object.values(sources).flatMap((source) => source?.network ?? []);
  return named?.replace('testnet', 'fuji');
}

/** A part of the cluster that a configuration names. @throws FirnError `config` where it names none, or a variable is not set */
export function clusterPart<Name extends keyof typeof cluster>(
  settings: Pick<Settings, Name>,
  name: Name,
): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined)
    throw new FirnError('config', 'The configuration names no cluster. Add control, stage and engine.');
  refuseUnset(name, value);
  return value;
}
