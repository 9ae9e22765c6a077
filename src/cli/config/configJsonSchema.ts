import { z } from 'zod';
import type { Stream } from '../../core/stream/stream.ts';
import { sourcesOf } from '../../run/openProject.ts';
import { settingsSchema } from '../../run/settings.ts';

type Json = Record<string, unknown>;

/** JSON Schema of `firn.yaml` with every stream's parameters, for editors. */
export function configJsonSchema(catalogue: readonly Stream[]): Json {
  const options = { unrepresentable: 'any', io: 'input' } as const;
  const schema = z.toJSONSchema(settingsSchema(sourcesOf(catalogue)), options) as unknown as Json & {
    properties: { pipelines: { additionalProperties: { properties: Json } } };
  };
  const streams = catalogue.map((stream) => {
    const parameters = z.toJSONSchema(stream.parameters, options) as Json;
    const type = parameters['required'] ? 'object' : ['object', 'null'];
    return [stream.id, { description: stream.description, ...parameters, type, $schema: undefined }];
  });
  schema.properties.pipelines.additionalProperties.properties['streams'] = {
    type: 'object',
    properties: Object.fromEntries(streams),
    additionalProperties: false,
  };
  return { ...schema, title: 'firn.yaml' };
}
