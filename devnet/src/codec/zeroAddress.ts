/** The address that mints come from and burns go to. */
export const zeroAddress = `0x${'0'.repeat(40)}`;
