import { identifier } from '../../core/text/sqlText.ts';

/** How SQL calls a catalog of Trino: as it is, or in quotes where its name is no plain word, such as `data-lake`. */
export const catalogName = (catalog: string): string => (/^[a-z]\w*$/i.test(catalog) ? catalog : identifier(catalog));
