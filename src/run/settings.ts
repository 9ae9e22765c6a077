import { z } from 'zod';
import type { Source } from '../core/stream.ts';

const url = z
  .union([z.url({ protocol: /^https?$/ }), z.string().regex(/\$\{env:[^}]+\}/)], {
    error: 'write a URL that begins with http:// or https://',
  })
  .describe('http or https URL without a path that belongs to a method.');
const headers = z.record(z.string(), z.string()).describe('Headers sent with every request.');
const quota = z.strictObject({
  perMinute: z.number().int().positive().optional().describe('Compute units a minute.'),
  perDay: z.number().int().positive().optional().describe('Compute units a UTC day; kept across runs.'),
});
const timeouts = z
  .strictObject({
    connect: z.number().positive().optional(),
    headers: z.number().positive().optional(),
    body: z.number().positive().optional(),
    total: z.number().positive().optional(),
  })
  .describe('Milliseconds.');

const hostShape = 'write a host without https://, port, path or *, such as storage.example.com';
const host = z
  .string()
  .regex(/^(\[[\da-fA-F:.]+\]|[^\s/?#@:\\[\]*]+)$/, hostShape)
  .refine((name) => URL.canParse(`http://${name}`), hostShape);

const common = {
  headers: headers.optional(),
  concurrency: z.number().int().positive().max(64).optional().describe('Requests in flight at most.'),
  timeouts: timeouts.optional(),
};
const keyed = {
  url,
  ...common,
  key: z
    .string()
    .min(1)
    .optional()
    .describe('API key; an environment variable NAME is written as $' + '{env:NAME}.'),
  keyHeader: z.string().default('x-service-api-key').describe('Header that carries the key.'),
  quota: quota.optional(),
};

/** How a source of one's own is reached. */
export const ownSourceSchema = z.strictObject(keyed);

/** What `firn.yaml` may say. One warehouse holds the pipelines of one file. */
export const settingsSchema = z.strictObject({
  warehouse: z.string().default('./warehouse').describe('Folder of the data, relative to this file.'),
  extend: z
    .string()
    .optional()
    .describe('Folder of own streams, models, audits and notebooks, relative to this file (docs/extend.md).'),
  sources: z.strictObject({
    node: z
      .strictObject({
        url: url.optional().describe('URL of the node, without /ext; may be left out where only `rpc` is read.'),
        ...common,
        rpc: z
          .record(
            z.string(),
            z.union([url, z.strictObject({ url, headers: headers.optional() })], {
              error: 'write the RPC URL of the chain, or { url, headers }',
            }),
          )
          .optional()
          .describe(
            'Full RPC URL of a chain, where it is not <url>/ext/bc/<chain>/rpc. The headers of the node go to its own origin only.',
          ),
      })
      .refine(({ url: own, rpc }) => own !== undefined || Object.keys(rpc ?? {}).length > 0, {
        message: 'name the url of a node, or the rpc URL of a chain',
      })
      .optional(),
    data: z
      .strictObject({
        ...keyed,
        network: z
          .enum(['mainnet', 'fuji', 'testnet'])
          .default('mainnet')
          .describe('The network asked for; testnet is fuji.'),
        downloadHosts: z
          .array(host)
          .optional()
          .describe(
            'Hosts from which exported files are fetched although their addresses are not public, such as storage.example.com.',
          ),
      })
      .optional(),
    metrics: z.strictObject(keyed).optional(),
  }),
  pipelines: z.record(
    z.string(),
    z.strictObject({
      schedule: z.string().optional().describe('Cron expression, UTC.'),
      streams: z.record(z.string(), z.record(z.string(), z.unknown())).describe('Stream name to its parameters.'),
    }),
  ),
  memoryLimit: z
    .string()
    .regex(/^[1-9]\d*(\.\d+)? ?[MGT]i?B$/, 'Write a size, such as 4GB')
    .optional()
    .describe(
      "Memory that DuckDB may take while it builds, reconciles and publishes, such as 4GB; half of the machine's where this is left out.",
    ),
  keep: z
    .string()
    .regex(/^[1-9]\d*d$/, 'Write a number of days, such as 400d')
    .optional()
    .describe(
      'How long raw rows stay, such as 400d, counted back from the newest; older months are dropped by firn run. Marts and metrics keep all.',
    ),
  publish: z
    .strictObject({
      root: z.string().optional().describe('Path by which readers see the warehouse folder.'),
      keepVersions: z.number().int().min(1).default(3).describe('Published versions kept.'),
    })
    .default({ keepVersions: 3 }),
  notify: z
    .strictObject({
      webhook: url.describe(
        'Where a JSON message is posted. Its path is a secret: take it from the environment, as a key.',
      ),
      on: z
        .array(z.enum(['failed', 'mismatch', 'quarantined', 'stale']))
        .min(1)
        .optional()
        .describe('What is told; all of it where this is left out.'),
      staleAfter: z
        .string()
        .regex(/^\d+(\.\d+)?[smhd]$/, 'Write a length of time, such as 6h')
        .default('24h')
        .describe('How long nothing may be published before that is told, such as 6h.'),
    })
    .optional()
    .describe('A webhook that hears of trouble once, and when it is over.'),
});

/** The same with sources of one's own, which the folder that `extend` names declares: all or part of how they are reached. */
export const extendedSchema = settingsSchema.extend({
  // What is left out the source itself says.
  sources: settingsSchema.shape.sources.catchall(
    ownSourceSchema.extend({ keyHeader: keyed.keyHeader.unwrap() }).partial(),
  ),
}) as unknown as typeof settingsSchema;

/** A checked configuration: defaults filled in, secrets resolved, the warehouse and `extend` absolute paths. */
export type Settings = z.infer<typeof settingsSchema> & {
  /** What address files call their addresses. */
  readonly labels?: readonly { readonly address: string; readonly label: string }[];
  /** Values that came from the environment: in a header, or a URL's path or query, they are secrets. */
  readonly fromEnvironment?: readonly string[];
};

/** How a source is reached, whichever it is. */
export type SourceSettings = Partial<z.infer<typeof ownSourceSchema>> & {
  /** Of a source of one's own: how its numbers are held. */
  readonly numbers?: Source['numbers'];
};

/** Every source that is configured, own ones too. */
export const configuredSources = ({ sources }: Pick<Settings, 'sources'>): [Source['name'], SourceSettings][] =>
  Object.entries(sources as Record<string, SourceSettings | undefined>).flatMap(([name, source]) =>
    source ? [[name, source] as [string, SourceSettings]] : [],
  );

/** How a source is configured; undefined where it is not. */
export const sourceSettings = (settings: Pick<Settings, 'sources'>, name: string): SourceSettings | undefined =>
  (settings.sources as Readonly<Record<string, SourceSettings | undefined>>)[name];
