import { askedFilters } from './askedFilters.ts';
import { operators } from './operators.ts';

/** What the form of a page asks: it sends its empty rows along, and who empties the value of a filter takes it away. */
export function withoutEmptyRows(parameters: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams(parameters);
  for (const name of ['c', 'o', 'v']) kept.delete(name);
  for (const { column, operator, value } of askedFilters(parameters)) {
    if (value === '' && operators[operator]?.needsValue) continue;
    kept.append('c', column);
    kept.append('o', operator);
    kept.append('v', value);
  }
  return kept;
}
