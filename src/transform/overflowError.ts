import { FirnError } from '../core/firnError.ts';

const overflow = /overflow|out of range|could not cast value/i;

/** Heights of a chain that a model was working on. */
interface Where {
  readonly model: string;
  readonly chain: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** An error of DuckDB with what it was working on; the transaction is lost by then. */
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
 * The error that names the block whose amount does not fit 38 digits: found by halving, since DuckDB does not tell.
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
    `${place}: an amount in ${blocks} of chain ${where.chain} does not fit 38 digits. Neither it nor what is built on it was built. ` +
      'Such an amount cannot be real: look at the receipts there, load the block again, or leave its chain out.',
    { cause, context: { chain: where.chain, first: low, last: high } },
  );
}
