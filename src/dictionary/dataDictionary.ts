/** A table as the data dictionary shows it. */
export interface DictionaryTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly comment: string | null;
  /** Whether it has Parquet files, and the columns by which these are ordered. */
  readonly inFiles: boolean;
  readonly sortedBy: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Type in the Parquet files, where the table has any. */
    readonly parquetType: string | undefined;
    /** Description, ending in the unit in square brackets. */
    readonly comment: string | null;
    /** A value as text. */
    readonly example: string | null;
  }[];
}

const schemas: Readonly<Record<string, string>> = {
  raw: 'What the sources said, record by record.',
  staging: 'One row per thing, from the best source that has it.',
  mart: 'What analysts join and plot.',
  refs: 'Your own tables: the CSV files of the folder `refs`.',
  firn: 'What firn knows about its own work.',
};

/** The data dictionary as Markdown: every table and column with type, unit, description and an example. */
export function dataDictionary(tables: readonly DictionaryTable[]): string {
  const sections = Object.entries(schemas).flatMap(([schema, text]) => {
    const own = tables.filter((table) => table.schema === schema);
    return own.length === 0 ? [] : [`## ${schema}`, text, ...own.map(tableSection)];
  });
  return `${['# Data dictionary', introduction, ...sections].join('\n\n')}\n`;
}

const introduction = [
  'Generated from the comments of the warehouse, which the reader database has, too. Times are UTC.',
  'If the type in the Parquet files differs, it follows an arrow.',
  'Values of more than 28 digits are also in the column `<column>_exact` at the end of the Parquet files, as text.',
].join(' ');

function tableSection({ schema, name, kind, comment, inFiles, sortedBy, columns }: DictionaryTable): string {
  const facts = [
    comment?.replace(/\s+/g, ' ') ?? null,
    kind === 'view' && !inFiles ? 'A view.' : null,
    inFiles && sortedBy.length > 0
      ? `Files in order of ${sortedBy.map((column) => `\`${column}\``).join(', ')}.`
      : null,
  ];
  const rows = columns.map((column) => {
    const { text, unit } = splitUnit(column.comment ?? '');
    const differs = column.parquetType !== undefined && column.parquetType !== column.type;
    const type = `${column.type}${differs ? ` → ${column.parquetType}` : ''}`;
    return `| ${[code(column.name), type, cell(unit), cell(text), column.example === null ? '' : code(cut(column.example))].join(' | ')} |`;
  });
  return [
    `### ${schema}.${name}`,
    facts.filter((fact) => fact !== null).join(' '),
    ['| column | type | unit | description | example |', '| --- | --- | --- | --- | --- |', ...rows].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** `Gas used. [gas]` and `Gas used [gas].` name their unit; other brackets are part of the text. */
export function splitUnit(comment: string): { readonly text: string; readonly unit: string } {
  const found = /^(.*?)\s*\[([^[\]]+)\]\.?$/s.exec(comment);
  return found?.[2] === undefined ? { text: comment, unit: '' } : { text: found[1] ?? '', unit: found[2] };
}

const longest = 48;

const cut = (example: string) => (example.length > longest ? `${example.slice(0, longest - 1)}…` : example);

const cell = (text: string) => text.replace(/[|\\]/g, '\\$&').replace(/\s+/g, ' ').trim();

/** Inline code that neither breaks the table nor holds characters that no page can show. */
function code(text: string): string {
  const plain = text.replace(/[\p{Cc}`]/gu, ' ');
  return plain.trim() === '' ? '' : `\`${plain.replaceAll('|', '\\|')}\``;
}
