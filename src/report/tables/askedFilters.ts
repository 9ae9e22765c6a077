export interface Filter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
}

/** The filters of an address as they stand there: `c`, `o` and `v`, each as often as there are filters. */
export function askedFilters(parameters: URLSearchParams): Filter[] {
  const [words, values] = [parameters.getAll('o'), parameters.getAll('v')];
  return parameters
    .getAll('c')
    .map((column, place) => ({ column, operator: words[place] ?? 'has', value: values[place] ?? '' }));
}
