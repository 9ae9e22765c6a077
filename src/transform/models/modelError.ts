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

const otherColumns =
  'What it takes all columns of has other ones than when its table was made: name the columns in place of *, or run "firn build --full-refresh".';

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
    const reason = sqlError(model, error);
    const isOther = /has \d+ columns but \d+ values were supplied/.test(reason.message);
    throw new ModelError(
      model.name,
      isOther ? new FirnError('failed', `${reason.message}. ${otherColumns}`, { cause: error }) : reason,
    );
  }
}
