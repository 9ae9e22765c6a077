/** One 32-byte word of ABI-encoded data (`0x` hex) as a number, or null beyond its end. */
export function wordAt(data: string, index: number): bigint | null {
  const from = 2 + index * 64;
  return data.length < from + 64 ? null : BigInt(`0x${data.slice(from, from + 64)}`);
}

/** The address in the last 20 bytes of a word or topic; what stands above them is ignored, as the EVM does. */
export const addressIn = (word: string): string => `0x${word.slice(-40).toLowerCase()}`;

/** A `string` result. Older tokens answer with a `bytes32`; its trailing zeros are dropped. null where it is neither. */
export function stringIn(data: string): string | null {
  const bytes = Buffer.from(data.slice(2), 'hex');
  if (bytes.length === 32) return bytes.toString('utf8').replace(/\0+$/, '');
  const length = wordAt(data, 1);
  if (wordAt(data, 0) !== 32n || length === null || 64n + length > BigInt(bytes.length)) return null;
  return bytes.subarray(64, 64 + Number(length)).toString('utf8');
}

/** Two `uint256[]` of equal length (ids and values of a batch), or null where the data is something else. */
export function uintArraysIn(data: string): readonly (readonly [bigint, bigint])[] | null {
  const arrays = [0, 1].map((position) => {
    const offset = wordAt(data, position);
    if (offset === null || offset % 32n !== 0n || offset > BigInt(data.length)) return null;
    const start = Number(offset / 32n);
    const length = wordAt(data, start);
    if (length === null || length * 64n > BigInt(data.length)) return null;
    return Array.from({ length: Number(length) }, (_, at) => wordAt(data, start + 1 + at));
  });
  const [ids, values] = arrays;
  if (!ids || !values || ids.length !== values.length) return null;
  const pairs = ids.map((id, at) => [id, values[at] ?? null] as const);
  return pairs.every((pair) => pair[0] !== null && pair[1] !== null) ? (pairs as [bigint, bigint][]) : null;
}

/** A number as a 32-byte word, without `0x`. */
export const toWord = (value: bigint): string => value.toString(16).padStart(64, '0');
