/** A folder may have a name that DuckDB would take for a pattern. */
export const escapeGlob = (path: string): string => path.replace(/[[*?]/g, (sign) => `[${sign}]`);
