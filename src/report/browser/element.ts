import { printable } from '../../core/text/printable.ts';

type Child = Node | string | number | false | null | undefined | readonly Child[];

/** A listener, an attribute's text, or whether an attribute without a text stands there. */
type Attribute = string | number | boolean | null | undefined | ((event: Event) => void);

/** An element from its attributes and children. Strings become text and nothing else; characters that would hide or reverse them are escaped. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value === true ? '' : String(value));
  }
  append(made, children);
  return made;
}

function append(to: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === false || child === null || child === undefined) continue;
    if (typeof child === 'string' || typeof child === 'number')
      to.appendChild(document.createTextNode(printable(String(child))));
    else if (child instanceof Node) to.appendChild(child);
    else append(to, child as readonly Child[]);
  }
}

const svg = 'http://www.w3.org/2000/svg';

/** Words in the colours of a verdict's group, with its sign. */
export const marked = (group: string, words: string): HTMLElement =>
  element('span', { class: `c ${group}` }, icon(group), ` ${words}`);

/** The sign of a verdict's group, as the page draws it. */
export function icon(group: string): SVGSVGElement {
  const made = document.createElementNS(svg, 'svg');
  made.setAttribute('class', 'i');
  made.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svg, 'use');
  use.setAttribute('href', `#i-${group}`);
  made.append(use);
  return made;
}
