import { hashOf, versionOf } from '../../transform/builds/builtModel.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import { trinoMacros } from '../render/expandMacros.ts';

/** The version of models as Trino reads them: with other macros they are others. Layout and comments of these do not count. */
export const lakeVersion = (models: readonly PlacedModel[], macros = trinoMacros()): string =>
  hashOf([
    versionOf(models),
    ...Array.from(macros, ([name, { parameters, body }]) =>
      [name, ...parameters, ...body.map((token) => token.trim() || ' ')].join('\0'),
    ),
  ]);
