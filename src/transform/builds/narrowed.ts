import { isAbsolute } from 'node:path';
import { hasMetrics, type PlacedModel } from '../models/model.ts';

/**
 * A model with the rows alone that a condition names: all others are there already. Tables by bucket that firn itself makes narrow themselves
 * (`in_buckets`) and are left as they are: an extension's need not, nor its metrics, and where times run back, heights are those of other hours, too.
 */
export const narrowed = (model: PlacedModel, condition: string): PlacedModel =>
  isAbsolute(model.file) || hasMetrics(model) || model.keptAs.kind === 'hours'
    ? { ...model, sql: `SELECT * FROM (${model.sql}\n) AS whole WHERE ${condition}` }
    : model;
