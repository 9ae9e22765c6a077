/** A SQL string literal. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
