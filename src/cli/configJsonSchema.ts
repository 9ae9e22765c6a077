import { z } from 'zod';
import type { Stream } from '../core/stream.ts';
import { extendedSchema, settingsSchema } from '../run/settings.ts';

type Json = Record<string, unknown>;

/** JSON Schema of `firn.yaml` with every stream's parameters and every own source, for editors. */
export function configJsonSchema(catalogue: readonly Stream[]): Json {
  const options = { unrepresentable: 'any', io: 'input' } as const;
  const schema = z.toJSONSchema(settingsSchema, options) as unknown as Json & {
    properties: { sources: { properties: Json }; pipelines: { additionalProperties: { properties: Json } } };
  };
  const own = z.toJSONSchema(extendedSchema.shape.sources, options) as Json & { additionalProperties: Json };
  for (const { source } of catalogue)
    schema.properties.sources.properties[source.name] ??= {
      description: source.description,
      ...own.additionalProperties,
    };
  const streams = catalogue.map((stream) => {
    const parameters = z.toJSONSchema(stream.parameters, options) as Json;
    return [stream.id, { description: stream.description, ...parameters, $schema: undefined }];
  });
  schema.properties.pipelines.additionalProperties.properties['streams'] = {
    type: 'object',
    properties: Object.fromEntries(streams),
    additionalProperties: false,
  };
  return { ...schema, title: 'firn.yaml' };
}
