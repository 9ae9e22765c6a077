import { FirnError } from '../../core/firnError.ts';
import { meant } from '../../core/input/meant.ts';
import { operators } from './operators.ts';

export interface Filter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
}

/**
 * The filters of an address as they stand there: `c`, `o` and `v`, each as often as there are filters. Operators that need no value may
 * do without `v` at the end.
 *
 * @throws FirnError `usage` for unknown operators, and where a value may belong to another filter than the one that it would count for
 */
export function askedFilters(parameters: URLSearchParams): Filter[] {
  const [columns, words, values] = ['c', 'o', 'v'].map((name) => parameters.getAll(name)) as [
    string[],
    string[],
    string[],
  ];
  const filters = columns.map((column, place) => ({
    column,
    operator: words[place] ?? '',
    value: values[place] ?? '',
  }));
  const needs = ({ operator }: Filter) => {
    const { needsValue } = operators[operator] ?? {};
    if (needsValue !== undefined) return needsValue;
    throw new FirnError('usage', `There is no operator "${operator}". ${meant(operator, Object.keys(operators))}`);
  };
  const isShort = values.length < columns.length;
  const fits = (filter: Filter, place: number) =>
    needs(filter) ? place < values.length : !isShort || filter.value === '';
  if (words.length === columns.length && values.length <= columns.length && filters.every(fits)) return filters;
  throw new FirnError(
    'usage',
    'Every filter has a column, an operator and a value (c=number&o=ge&v=957), and an empty value (v=) where its operator needs none.',
  );
}
