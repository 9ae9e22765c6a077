/** Address of a table. */
export const tablePath = (relation: string, kind = '', parameters?: URLSearchParams): string =>
  `/tables/${encodeURIComponent(relation)}${kind}${parameters?.size ? `?${parameters}` : ''}`;
