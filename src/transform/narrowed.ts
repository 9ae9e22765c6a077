import { isAbsolute } from 'node:path';
import type { PlacedModel } from './model.ts';

/**
 * A model with the rows alone that a condition names. firn's own narrow themselves to what is built (`in_blocks`, `in_buckets`), and are left as
 * they are: an extension's need not, nor its metrics, and all other rows are there already.
 */
export const narrowed = (model: PlacedModel, condition: string): PlacedModel =>
  isAbsolute(model.file) || 'metric' in model.columns
    ? { ...model, sql: `SELECT * FROM (${model.sql}\n) AS whole WHERE ${condition}` }
    : model;
