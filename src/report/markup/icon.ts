import { type VerdictGroup, verdictGroups } from '../verdicts/verdictFacts.ts';
import { type Html, html, markup } from './html.ts';

/** Signs are drawn, not typed: fonts differ, and a colour alone says nothing to many people. */
const drawings: Readonly<Record<VerdictGroup, string>> = {
  agrees: '<path d="M3 8.5l3.2 3.2L13 4.8"/>',
  rounded: '<path d="M2.5 6.8c2-2.4 3.6-2.4 5.5-.6s3.5 1.8 5.5-.6M2.5 12h11"/>',
  waiting: '<circle cx="8" cy="8" r="5.6"/><path d="M8 4.8V8l2.4 1.6"/>',
  own: '<circle cx="8" cy="8" r="5.6" stroke-dasharray="2.6 2"/>',
  served: '<path d="M2.5 13.5h11M8 2.5v7M5 6.8l3 3 3-3"/>',
  explained: '<path d="M2.5 6.2c2-2.2 3.6-2.2 5.5-.6s3.5 1.6 5.5-.6M2.5 11.2c2-2.2 3.6-2.2 5.5-.6s3.5 1.6 5.5-.6"/>',
  differs: '<path d="M4 4l8 8M12 4l-8 8"/>',
};

/** The drawings, once per page; `icon` refers to them. */
export const iconSprite: Html = markup(
  `<svg class="vh" aria-hidden="true">${verdictGroups
    .map((group) => `<symbol id="i-${group}" viewBox="0 0 16 16">${drawings[group]}</symbol>`)
    .join('')}</svg>`,
);

/** The sign of a group; the words beside it say what it means. */
export const icon = (group: VerdictGroup): Html =>
  html`<svg class="i" aria-hidden="true"><use href="#i-${group}"/></svg>`;

/** Words in the colours of a group, with its sign. */
export const marked = (group: VerdictGroup, words: string | number): Html =>
  html`<span class="c ${group}">${icon(group)} ${words}</span>`;
