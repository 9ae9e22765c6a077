import { FirnError } from '../core/firnError.ts';

const overflow = /overflow|out of range|could not cast value/i;

/** Heights of a chain that a model was working on. */
interface Where {
  readonly model: string;
  readonly chain: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** An error of DuckDB, and what it was working on; the transaction is lost by then. */
export class BuildStop extends Error {
  readonly where: Where;

  constructor(cause: Error, where: Where) {
    super(cause.message, { cause });
    this.where = where;
  }
}

/** Whether DuckDB refused a number because it does not fit. */
export const isOverflow = (error: unknown): error is Error => error instanceof Error && overflow.test(error.message);

/**
 * The error that names the block whose number does not fit its column: found by bisection, since DuckDB does not tell. (Amounts of more than
 * 38 digits are no error: they are NULL, and their row says so.)
 *
 * @param place the model's file and line
 * @param probe computes the heights low..high again, outside of the lost transaction, and throws what it throws
 */
export async function overflowError(
  { where, cause }: BuildStop,
  place: string,
  probe: (low: bigint, high: bigint) => Promise<void>,
): Promise<FirnError> {
  const fails = (low: bigint, high: bigint) => probe(low, high).then(() => false, isOverflow);
  let { first: low, last: high } = where;
  while (low < high) {
    const middle = low + (high - low) / 2n;
    if (await fails(low, middle)) high = middle;
    else if (await fails(middle + 1n, high)) low = middle + 1n;
    else break;
  }
  const blocks = low === high ? `block ${low}` : `blocks ${low} to ${high}`;
  return new FirnError(
    'contract',
    `${place}: a number in ${blocks} of chain ${where.chain} does not fit its column. Neither it nor what is built on it was built. ` +
      'Such a number cannot be real: look at the gas there, load the block again, or leave its chain out.',
    { cause, context: { chain: where.chain, first: low, last: high } },
  );
}
