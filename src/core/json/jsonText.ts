import { Verbatim } from './verbatim.ts';

/** JSON text in which bigint stands as its digits, and what was kept verbatim as it was written. */
export function jsonText(value: unknown): string {
  const parts: string[] = [];
  writeJson(value, parts);
  return parts.join('');
}

function writeJson(value: unknown, parts: string[]): void {
  if (typeof value === 'bigint' || value instanceof Verbatim) parts.push(String(value));
  else if (value === null || typeof value !== 'object') parts.push(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) {
    parts.push('[');
    for (const [i, item] of value.entries()) {
      if (i > 0) parts.push(',');
      writeJson(item ?? null, parts);
    }
    parts.push(']');
  } else {
    let before = '{';
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      parts.push(before, JSON.stringify(name), ':');
      writeJson(member, parts);
      before = ',';
    }
    parts.push(before === '{' ? '{}' : '}');
  }
}

/** The same for a column; null where it holds something nested so deep that it was not parsed. */
export const flatJsonText = (value: unknown): string | null => (holdsNested(value) ? null : jsonText(value));

function holdsNested(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (value instanceof Verbatim) return value.isNested;
  for (const name in value) if (holdsNested((value as Record<string, unknown>)[name])) return true;
  return false;
}
