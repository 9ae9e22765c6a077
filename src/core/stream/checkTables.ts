import { z } from 'zod';
import { integerRanges } from '../columns/columnType.ts';
import { columnNamed } from '../columns/table.ts';
import { type ObjectSchema, unwrap } from '../columns/unwrap.ts';
import { meant } from '../input/meant.ts';
import { type Declared, timeOf } from './stream.ts';

/**
 * Looks whether what a stream says of its tables holds: columns that it names are there, partitions stay apart, and each list of its records
 * has a table.
 *
 * @param apart names of the columns that tell its partitions apart
 * @throws TypeError for what is missing, and for rows that would be lost
 */
export function checkTables(stream: Declared, apart: readonly string[]): void {
  const { table, time, height, files, way } = stream;
  const looksBack = 'looksBack' in stream ? stream.looksBack : undefined;
  const { position = undefined, link = undefined } = 'position' in stream ? stream : {};
  const typeOf = (name: string) => table.columns.find((column) => column.name === name)?.type;
  for (const name of [position, link?.id, link?.parent, time, height, looksBack?.cursor, files?.chain, files?.time])
    if (name !== undefined) columnNamed(table, name, 'for its position, link, time, height, looksBack or files');
  if (position !== undefined && !Object.hasOwn(integerRanges, typeOf(position) ?? ''))
    throw new TypeError(`${position} of table ${table.name} is no integer, by which its rows could follow each other`);
  if (files?.time !== undefined && typeOf(files.time) !== 'timestamp')
    throw new TypeError(`${files.time} of table ${table.name} is no time, by which its files could be cut`);
  if (looksBack && timeOf(stream) === undefined)
    throw new TypeError(`table ${table.name}: "looksBack" needs a "time" or "files.time", by which it goes back`);
  // Rows of a snapshot are told apart by the loads that wrote them, and rows of commands may move from one partition to another.
  const lacking = apart.find((name) => !table.key.includes(name));
  if (lacking !== undefined && way !== 'snapshot' && way !== 'action')
    throw new TypeError(
      `table ${table.name}: "key" lacks ${lacking}: a row of one partition would take the place of another's with the same key`,
    );
  checkLists(stream);
}

function checkLists({ table, children }: Declared): void {
  const lists = listsIn(table.schema);
  const taken = new Set<string>();
  for (const child of Object.values(children)) {
    for (const of of [child.of ?? []].flat()) {
      if (!lists.includes(of))
        throw new TypeError(
          `table ${child.table.name} is of "${of}", which is no z.array(…) in the schema of ${table.name}. ${meant(of, lists)}`,
        );
      taken.add(of);
    }
  }
  const left = lists.find((list) => !taken.has(list));
  if (left !== undefined)
    throw new TypeError(
      `table ${table.name}: the list "${left}" fills nothing: declare a child with of: '${left}', or make it a column by texts(…), hexes(…) or json(…)`,
    );
}

/** Paths of the lists in records, also of those inside of what is listed: `receipts`, `receipts.logs`. */
function listsIn({ shape }: ObjectSchema, prefix = ''): string[] {
  return Object.entries(shape).flatMap(([member, type]) => {
    const path = prefix + member;
    const { inner } = unwrap(type as z.ZodType);
    const item = inner instanceof z.ZodArray ? unwrap(inner.element as z.ZodType).inner : inner;
    const inside = item instanceof z.ZodObject ? listsIn(item as ObjectSchema, `${path}.`) : [];
    return inner instanceof z.ZodArray ? [path, ...inside] : inside;
  });
}
