import { sha256 } from '../../load/sha256.ts';
import type { Model, PlacedModel } from '../models/model.ts';

/** The outcome of a model. */
export interface BuiltModel {
  readonly name: string;
  readonly kind: 'view' | 'table';
  /** Rows of the table; 0 for a view, which is not counted. */
  readonly rows: number;
  /** 0 where it was not built, since nothing beneath it changed. */
  readonly seconds: number;
  readonly hash: string;
}

export const kindOf = ({ keptAs }: Model): BuiltModel['kind'] => (keptAs.kind === 'view' ? 'view' : 'table');

/** The version of all models together. */
export const versionOf = (models: readonly PlacedModel[]): string =>
  hashOfTables(models.map((model) => ({ name: model.name, hash: model.hash, kind: kindOf(model) })));

/** A view that becomes a table, and a table that gets another name, have no rows yet, though their SQL is the same. */
export const hashOfTables = (models: readonly Pick<BuiltModel, 'name' | 'hash' | 'kind'>[]): string =>
  hashOf(models.map(({ name, hash, kind }) => `${name} ${hash} ${kind}`).sort());

export const hashOf = (parts: readonly string[]): string => sha256(parts.join('\n'));
