import { stringify } from 'yaml';
import { z } from 'zod';
import { rowTables, type Stream } from '../../core/stream/stream.ts';

interface Parameter {
  readonly type?: string;
  readonly anyOf?: readonly Parameter[];
  readonly description?: string;
  readonly default?: unknown;
}

/** What a parameter of that name takes in an example; parameters that are required and not here need a value of their own. */
const sampleValues: Readonly<Record<string, unknown>> = {
  chainIds: ['43114'],
  addresses: ['0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'],
  nodeIds: ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  to: 100,
};

/** Streams whose addresses are not those of an EVM chain. */
const platformSamples: Readonly<Record<string, unknown>> = {
  addresses: ['P-avax19zfygxaf59stehzedhxjesads0p5jdvfeedal0'],
};
const isOfPlatform = ({ parameters: { shape } }: Stream) => 'addresses' in shape && !('chainIds' in shape);

/**
 * The reference of the streams as Markdown: what each reads and fills, its parameters, and a configuration to begin with.
 * Everything comes from the declarations.
 */
export function streamReference(catalogue: readonly Stream[]): string {
  const sources = [...new Set(catalogue.map(({ source }) => source))];
  return [
    '# Streams',
    '',
    introduction,
    ...sources.flatMap((source) => [
      '',
      `## ${source.name}`,
      '',
      source.description,
      ...catalogue.filter((stream) => stream.source === source).flatMap(describe),
    ]),
    '',
  ].join('\n');
}

const introduction = `Generated from the declarations in \`pipelines/\` by \`firn streams --markdown\`. Each stream goes under \`pipelines.<name>.streams\` in \`firn.yaml\`.

*fills* is the stream's own table, with the columns that identify a row; *with* are its child tables. *way* is how a stream is read:

| way | each run reads |
|---|---|
| range | every position (height or index) from the checkpoint to the head |
| slice | the list from the checkpoint to the head, slice by slice |
| newestFirst | the list from its newest row down to the checkpoint |
| snapshot | the whole list, and keeps a version of a row for each change (\`_valid_from\`, \`_valid_to\`) |
| lookup | keys that other streams brought, each once |`;

/** The type of a parameter, or those of which it may be any. */
const typeOf = ({ type, anyOf = [] }: Parameter): string => type ?? [...new Set(anyOf.map(typeOf))].join(' or ');

function describe(stream: Stream): string[] {
  const { properties, required } = parametersOf(stream);
  const rows = Object.entries(properties).map(([name, parameter]) => {
    const { description = '', default: standard } = parameter;
    const usual = required.includes(name)
      ? 'required'
      : standard === undefined
        ? ''
        : `\`${JSON.stringify(standard)}\``;
    return `| \`${name}\` | ${typeOf(parameter)} | ${usual} | ${description.replaceAll('|', '\\|')} |`;
  });
  const children = Object.values(stream.children).map(({ table }) => `\`${table.name}\``);
  return [
    '',
    `### ${stream.id}`,
    '',
    stream.description,
    ...(stream.deprecated
      ? [
          '',
          `The source has deprecated it since ${stream.deprecated.since}; it names ${stream.deprecated.use} instead.`,
        ]
      : []),
    '',
    `- reads: ${stream.endpoint}`,
    `- way: ${stream.way}`,
    `- fills: \`${stream.table.name}\`, key ${stream.table.key.map((name) => `\`${name}\``).join(', ')}`,
    ...(children.length > 0 ? [`- with: ${children.join(', ')}`] : []),
    ...rowTables(stream).flatMap(({ volatile }) =>
      volatile
        ? [
            `- keeps once a day, in \`${volatile.daily.name}\`, what makes no version: ${volatile.columns.map(({ name }) => `\`${name}\``).join(', ')}`,
          ]
        : [],
    ),
    ...(stream.revisions ? [`- keeps every served value in \`${stream.revisions.name}\``] : []),
    ...(rows.length > 0 ? ['', '| parameter | type | default | meaning |', '|---|---|---|---|', ...rows] : []),
    '',
    '```yaml',
    stringify({ [stream.id]: exampleOf(stream) }, { aliasDuplicateObjects: false }).trimEnd(),
    '```',
  ];
}

/** The smallest configuration of a stream that is complete. */
export function exampleOf(stream: Stream): Record<string, unknown> {
  const samples = isOfPlatform(stream) ? { ...sampleValues, ...platformSamples } : sampleValues;
  const { properties, required } = parametersOf(stream);
  const example = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, samples[name]]));
  // Of several that are not required by themselves one may have to be given.
  const examples = [[], ...Object.keys(properties).map((name) => [name])].map((more) =>
    example([...required, ...more]),
  );
  return examples.find((one) => stream.parameters.safeParse(one).success) ?? example(required);
}

function parametersOf(stream: Stream): { properties: Record<string, Parameter>; required: readonly string[] } {
  const schema = z.toJSONSchema(stream.parameters, { unrepresentable: 'any', io: 'input' });
  return { properties: (schema.properties ?? {}) as Record<string, Parameter>, required: schema.required ?? [] };
}
