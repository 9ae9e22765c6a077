import { FirnError } from '../../core/firnError.ts';
import { BuildStop } from '../overflowError.ts';
import { type SqlPlace, sqlError } from '../sqlError.ts';
import type { Model } from './model.ts';

/** One model cannot be built; the others can. */
export class ModelError extends Error {
  readonly model: string;
  /** The message, with file and line. */
  readonly reason: FirnError;

  constructor(model: string, reason: FirnError) {
    super(reason.message, { cause: reason });
    this.model = model;
    this.reason = reason;
  }
}

/** A model where a SELECT of its header is, by the lines of that. */
export const inHeader = <T extends SqlPlace>(model: T, column: string): T => ({
  ...model,
  file: `${model.file}: the header's changed.${column}`,
  line: 1,
});

/**
 * Does the work that concerns one model.
 *
 * @throws ModelError for an error of its SQL; everything else (a full disk, a lack of memory) is thrown as it is
 */
export async function aboutModel<T>(model: Pick<Model, 'name'> & SqlPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FirnError || error instanceof ModelError || error instanceof BuildStop) throw error;
    throw new ModelError(model.name, sqlError(model, error));
  }
}
