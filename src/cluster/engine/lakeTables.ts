import type { Table } from '../../core/columns/table.ts';
import { type Declared, rowTables } from '../../core/stream/stream.ts';
import type { LakeTable } from '../contract.ts';
import { againName } from './lakeTable.ts';

/** The tables that streams fill, as an engine makes them: which rows of a newer batch take the place of older ones follows from the way of reading. */
export function lakeTables(catalogue: readonly Declared[]): LakeTable[] {
  return catalogue.flatMap(({ way, table, children, revisions }) => {
    const of = ({ name, columns }: Table, more: Omit<LakeTable, 'name' | 'columns'> = {}) => ({
      name,
      columns,
      ...more,
    });
    // Rows that are told apart by a number alone are replaced together: the last read says how many there are.
    const key = table.key.filter((name) => name !== 'position');
    if (way === 'range') {
      const read = (one: Table, parent?: LakeTable) => ({
        name: againName(one.name),
        columns: one.columns,
        replacedBy: key,
        parent,
      });
      const again = read(table);
      return [
        of(table, { again }),
        ...Object.values(children).map(({ table: child }) => of(child, { again: read(child, again) })),
      ];
    }
    if (way === 'snapshot')
      return rowTables({ table, children }).flatMap((one) => [
        of(one, { replacedBy: [...one.key, '_valid_from'] }),
        ...(one.volatile ? [of(one.volatile.daily, { replacedBy: one.volatile.daily.key })] : []),
      ]);
    const own = of(table, { replacedBy: key });
    return [
      own,
      ...Object.values(children).map(({ table: child, write }) =>
        of(child, write === 'union' ? { replacedBy: child.key } : { replacedBy: key, parent: own }),
      ),
      ...(revisions ? [of(revisions)] : []),
    ];
  });
}
