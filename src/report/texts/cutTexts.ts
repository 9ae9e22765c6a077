/**
 * The same value with every text in it cut to `most` characters: names, reasons and messages come from elsewhere and may be of
 * any length.
 */
export function cutTexts<T>(value: T, most: number): T {
  return cut(value, most) as T;
}

/** Whether something was taken from a text. */
export const isCut = (text: string): boolean => text.endsWith('…');

function cut(value: unknown, most: number): unknown {
  // A cut may leave half of a surrogate pair, which escaping makes harmless.
  if (typeof value === 'string') return value.length <= most ? value : `${value.slice(0, most - 1)}…`;
  if (Array.isArray(value)) return value.map((item) => cut(item, most));
  if (value === null || typeof value !== 'object') return value;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = cut(member, most);
  return copy;
}
