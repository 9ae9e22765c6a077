import { identifier, literal, qualified } from '../../core/text/sqlText.ts';

/** A relation with its comment and those of its columns. */
export interface Commented {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly { readonly name: string; readonly comment: string | null }[];
}

/** The statements that write the comments of a relation of a catalogue. */
export function commentsSql(kind: 'TABLE' | 'VIEW', relation: Commented, catalogue: string): string[] {
  const target = `${catalogue}.${qualified(relation)}`;
  const told = [
    { of: `${kind} ${target}`, comment: relation.comment },
    ...relation.columns.map(({ name, comment }) => ({ of: `COLUMN ${target}.${identifier(name)}`, comment })),
  ];
  return told.flatMap(({ of, comment }) => (comment === null ? [] : [`COMMENT ON ${of} IS ${literal(comment)}`]));
}
