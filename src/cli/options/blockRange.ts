import { FirnError } from '../../core/firnError.ts';

/** Blocks of one chain or of all, by height; open ends are left out. */
export interface BlockRange {
  readonly chain?: string;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Parses a range of blocks: `C`, `100..200`, `C:100..`, `99001:..500`.
 *
 * @throws FirnError `usage`
 */
export function blockRange(text: string): BlockRange {
  const [, before, heights, alone] = /^(?:(?:([\w-]+):)?(\d*\.\.\d*)|([\w-]+))$/.exec(text) ?? [];
  const chain = before ?? alone;
  if (chain === undefined && heights === undefined)
    throw new FirnError(
      'usage',
      `"${text}" is not a range of blocks. Write a chain, heights, or both: C, 100..200, C:100..200.`,
    );
  const [from, to] = (heights ?? '..').split('..');
  if (from && to && Number(from) > Number(to))
    throw new FirnError('usage', `"${text}" ends before it begins. Write the lower height first, such as 100..200.`);
  return {
    ...(chain && { chain }),
    ...(from && { from: Number(from) }),
    ...(to && { to: Number(to) }),
  };
}
