const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON in which integers of 16 digits and more become strings, since a double cannot hold all of them.
 * Read every amount, weight or time with `BigInt`, which takes either form.
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text.replace(stringOrNumber, (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));
}
