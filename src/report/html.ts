/** Text that is markup already. Made by `html` and `markup` only, so that nothing reaches a page unescaped by mistake. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | bigint | boolean | null | undefined | readonly Part[];

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Characters that no HTML document may hold: controls but tab, newline and return, and halves of a surrogate pair. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/gu;

/** Text as it may stand between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, (character) => special[character] ?? '');
}

/** Markup from a template: what is put in is escaped unless it is markup; null, undefined, true and false give nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) markup += render(part) + (strings[index + 1] ?? '');
  return { markup };
}

/** Says that a text is markup: for styles, scripts and drawings made by this folder's own code. */
export const markup = (text: string): Html => ({ markup: text });

function render(part: Part): string {
  if (part === null || part === undefined || typeof part === 'boolean') return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('');
  return escapeHtml(String(part));
}
