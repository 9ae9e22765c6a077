import { plural } from '../texts/numberText.ts';
import { element } from './element.ts';

interface Filtered {
  readonly section: string;
  readonly label: string;
  readonly noun: string;
  /** The element that the field is put in front of. */
  readonly before: string;
  /** The rows that are shown or hidden. */
  readonly items: string;
}

const filtered: readonly Filtered[] = [
  { section: 'explanations', label: 'Filter verdicts', noun: 'group', before: '.x', items: '.x' },
  { section: 'streams', label: 'Filter streams', noun: 'row', before: '.wide', items: 'tbody tr' },
  { section: 'quarantine', label: 'Filter quarantine', noun: 'entry', before: '.x, details', items: '.x, tbody tr' },
];

/** Puts a field above each long list, which hides every row that lacks one of its words, and unfolds what the others lie in. */
export function createFilters(): void {
  for (const { section, label, noun, before, items } of filtered) {
    const host = document.getElementById(section);
    const first = host?.querySelector(before);
    if (!host || !first) continue;
    const told = element('span', { role: 'status' });
    const input = element('input', {
      type: 'search',
      id: `filter-${section}`,
      autocomplete: 'off',
      spellcheck: 'false',
    });
    let opened: HTMLDetailsElement[] = [];
    input.addEventListener('input', () => {
      for (const details of opened) details.open = false;
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const all = [...host.querySelectorAll<HTMLElement>(items)];
      const shown = all.filter((item) => {
        // The caption of a table within names what all of its rows are of.
        const caption = item.closest('details table')?.querySelector('caption')?.textContent ?? '';
        const text = `${caption} ${item.textContent}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
        return !item.hidden;
      });
      opened = words.length === 0 ? [] : foldedAround(shown);
      for (const details of opened) details.open = true;
      told.textContent =
        words.length === 0
          ? ''
          : ` ${shown.length} of ${plural(all.length, noun, noun === 'entry' ? 'entries' : `${noun}s`)}`;
    });
    first.before(element('p', { class: 'filter' }, element('label', { for: input.id }, `${label} `), input, told));
  }
}

/** The closed parts of the page that elements lie in. */
const foldedAround = (items: readonly HTMLElement[]): HTMLDetailsElement[] => [
  ...new Set(items.flatMap((item) => item.parentElement?.closest<HTMLDetailsElement>('details:not([open])') ?? [])),
];
