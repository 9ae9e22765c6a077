import { z } from 'zod';

/** Schema of a URL in the configuration, or of the environment variable that holds it. */
export const url = z
  .union([z.url({ protocol: /^https?$/ }), z.string().regex(/\$\{env:[^}]+\}/)], {
    error: 'write a URL that begins with http:// or https:// and names a host',
  })
  // Where a password is torn by its own slash, part of it is taken for the host: it would be looked up, and shown.
  .refine((given) => !/:\/\/[^/?#]*@[^/?#]*[/?#].*@/.test(given), {
    error:
      'write / ? # and @ of a password as %2F %3F %23 and %40 (an @ behind the host, too), or the password as $' +
      '{env:NAME}',
  })
  .describe('http or https URL without a path that belongs to a method.');

/** A part all of whose members may be left out: with nothing after its name it is as if `{}` stood there. */
export const part = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().transform((given) => given ?? schema.parse({}));

/** Schema of headers in the configuration, by their names. */
export const headers = part(z.record(z.string(), z.string())).describe('Headers sent with every request.');

const quota = part(
  z.strictObject({
    perMinute: z.number().int().positive().optional().describe('Compute units per minute.'),
    perDay: z.number().int().positive().optional().describe('Compute units per UTC day; counted across runs.'),
  }),
);

const timeouts = part(
  z.strictObject({
    connect: z.number().positive().optional(),
    headers: z.number().positive().optional(),
    body: z.number().positive().optional(),
    total: z.number().positive().optional(),
  }),
).describe('Milliseconds.');

/** What the configuration may say of any source. */
export const sourceMembers = {
  url,
  headers: headers.optional(),
  concurrency: z.number().int().positive().max(64).optional().describe('How many requests are in flight at most.'),
  timeouts: timeouts.optional(),
};

/** The header that carries the key of a source, unless the configuration names another. */
export const defaultKeyHeader = 'x-service-api-key';

/** Origins of the hosted service that a source reads, and the header that carries its key there. */
export interface Hosted {
  readonly origins: readonly string[];
  readonly keyHeader: string;
}

/** The header that carries the key at a URL: a hosted service has its own in place of the default, which it does not read. */
export function keyHeaderAt(
  { url, keyHeader = defaultKeyHeader }: { readonly url: string; readonly keyHeader?: string | undefined },
  hosted: Hosted | undefined,
): string {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  return keyHeader === defaultKeyHeader && hosted?.origins.includes(origin) ? hosted.keyHeader : keyHeader;
}

/** What it may say of a source with keys and quotas. */
export const keyedMembers = {
  ...sourceMembers,
  key: z
    .string()
    .min(1)
    .optional()
    .describe('API key; an environment variable NAME is written as $' + '{env:NAME}.'),
  keyHeader: z
    .string()
    .default(defaultKeyHeader)
    .describe('Header that carries the key. At the hosted services the default is theirs.'),
  quota: quota.optional(),
};

/** What the engine makes use of; a source may take more for itself. */
export interface SourceSettings {
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly concurrency?: number | undefined;
  readonly timeouts?: z.infer<typeof timeouts> | undefined;
  readonly key?: string | undefined;
  readonly keyHeader?: string | undefined;
  readonly quota?: z.infer<typeof quota> | undefined;
  /** The network that is asked for, where one source serves several. */
  readonly network?: string | undefined;
}
