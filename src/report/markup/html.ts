import { printable } from '../../core/text/printable.ts';

/** Text that is markup already. Made by `html` and `markup` only, so that nothing reaches a page unescaped by mistake. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | bigint | boolean | null | undefined | readonly Part[];

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Characters that no HTML document may hold: controls but tab, newline and return, and halves of a surrogate pair. */
const forbidden = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Most texts are numbers and names in which nothing can be special. */
const plain = /^[\w ,.:/()=–-]*$/;

/** Text as it may stand between tags and inside quoted attributes; what would turn or hide the text beside it is written as an escape. */
export function escapeHtml(text: string): string {
  if (plain.test(text)) return text;
  return escapeTags(printable(text.replace(forbidden, '\ufffd')));
}

const escapeTags = (text: string): string => text.replace(/[&<>"']/g, (character) => special[character] ?? '');

/** A text as the value of a field: a form sends it again, and asks for another text where a single character of it is changed. */
export const fieldValue = (text: string): Html => markup(escapeTags(text));

/** Markup from a template: what is put in is escaped unless it is markup; null, undefined, true and false give nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) markup += render(part) + (strings[index + 1] ?? '');
  return { markup };
}

/** Marks a text as markup: for styles, scripts and drawings made by this folder's own code. */
export const markup = (text: string): Html => ({ markup: text });

function render(part: Part): string {
  if (part === null || part === undefined || typeof part === 'boolean') return '';
  if (typeof part === 'object') return 'markup' in part ? part.markup : part.map(render).join('');
  return typeof part === 'string' ? escapeHtml(part) : String(part);
}

/** A sentence in which `backticks` mark what is typed. */
export const prose = (sentence: string): Html =>
  html`${sentence.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
