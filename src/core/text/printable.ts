/** Control characters, and invisible ones that reorder or hide the text beside them; line ends and tabs are handled elsewhere. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** What JSON leaves as it is though a terminal would act on it. */
const unseenInJson = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text from anywhere as it may be shown on a terminal: controls (ESC among them), bidirectional marks and what has no width are
 * written as escapes, and lines longer than `longest` are cut. Line ends and tabs stay.
 */
export function printable(text: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = text
    .replaceAll('\r\n', '\n')
    .replace(unseen, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  if (shown.length <= longest) return shown;
  return shown
    .split('\n')
    .map((line) => (line.length <= longest ? line : `${line.slice(0, longest)}… (cut)`))
    .join('\n');
}

/** The same as one line: for the cell of a table, or a name in a sentence. */
export const printableLine = (text: string, longest?: number): string =>
  printable(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'), longest);

/** JSON text with every sign that a terminal would act on as an escape of JSON: the value stays the same. */
export const printableJson = (json: string): string =>
  json.replace(unseenInJson, (sign) => sign.split('').map(unitEscape).join(''));

/** `split('')` above gives UTF-16 units: JSON writes what lies beyond the first plane as two escapes. */
const unitEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
