import { FirnError } from '../core/firnError.ts';

const overflow = /overflow|out of range|could not cast value/i;

interface Where {
  readonly model: string;
  readonly chain: string;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * The error as it is, or, where a sum did not fit 38 digits, one that names the block: found by halving, since DuckDB does not tell.
 *
 * @param probe computes the heights low..high again and throws what it throws
 */
export async function overflowError(
  error: unknown,
  where: Where,
  probe: (low: bigint, high: bigint) => Promise<void>,
): Promise<unknown> {
  if (!(error instanceof Error) || !overflow.test(error.message)) return error;
  const fails = (low: bigint, high: bigint) =>
    probe(low, high).then(
      () => false,
      (cause: unknown) => cause instanceof Error && overflow.test(cause.message),
    );
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
    `${where.model}: an amount in ${blocks} of chain ${where.chain} does not fit 38 digits. Nothing was built. ` +
      `Look at the receipts of ${blocks}: such an amount cannot be real; load the block again or leave its chain out.`,
    { cause: error, context: { chain: where.chain, first: low, last: high } },
  );
}
