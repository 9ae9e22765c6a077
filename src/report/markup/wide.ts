import { type Html, html } from './html.ts';

/** Attributes of an element that may be wider than the page: it scrolls by itself, by the keyboard too. @param label what screen readers call it */
export const wide = (label: string): Html => html`class="wide" tabindex="0" role="region" aria-label="${label}"`;
