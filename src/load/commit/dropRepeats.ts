import { mixWord } from '../../core/rows/mixWord.ts';
import type { RowColumn } from '../../core/rows/rowColumn.ts';
import type { Rows } from '../../core/rows/rows.ts';

/**
 * Of rows with the same key keeps only the last: an answer may hold a record twice, and two answers may overlap. Keys are told
 * apart by a hash in a table of our own, and compared only where hashes meet: as text they would cost more than reading the rows.
 */
export function dropRepeats(parts: readonly Rows[], key: readonly string[]): void {
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  if (key.length === 0 || total < 2) return;
  // Every row has the same values from its partition, so they cannot distinguish rows.
  const telling = parts.map((rows) => key.filter((name) => !rows.isConstant(name)).map((name) => rows.named(name)));
  const size = 2 ** Math.ceil(Math.log2(total * 2));
  // For each place the numbers of a row's part and of the row, each plus one; 0 where it is free.
  const takenPart = new Uint32Array(size);
  const takenRow = new Uint32Array(size);
  const hashes = new Uint32Array(size);
  const dropped = parts.map(() => new Set<number>());
  parts.forEach((rows, part) => {
    const columns = telling[part] as RowColumn[];
    for (let row = 0; row < rows.length; row++) {
      const hash = hashOf(rows, columns, row);
      for (let slot = hash & (size - 1); ; slot = (slot + 1) & (size - 1)) {
        const other = (takenPart[slot] as number) - 1;
        if (other >= 0 && hashes[slot] !== hash) continue;
        if (other >= 0) {
          const otherRow = takenRow[slot] as number;
          const isSame = sameKey(rows, columns, row, parts[other] as Rows, telling[other] as RowColumn[], otherRow);
          if (!isSame) continue;
          (dropped[other] as Set<number>).add(otherRow);
        }
        takenPart[slot] = part + 1;
        takenRow[slot] = row;
        hashes[slot] = hash;
        break;
      }
    }
  });
  parts.forEach((rows, part) => {
    const gone = dropped[part] as Set<number>;
    if (gone.size === 0) return;
    rows.keepOnly(Array.from({ length: rows.length }, (_, row) => row).filter((row) => !gone.has(row)));
  });
}

const isText = ({ column }: RowColumn) => column.type === 'varchar' || column.type === 'json' || column.type === 'blob';

function hashOf(rows: Rows, columns: readonly RowColumn[], row: number): number {
  let hash = 0;
  for (const column of columns) {
    const { entries, width } = column;
    if (!column.isValid(row)) hash = mixWord(hash, 0);
    else if (isText(column)) hash = rows.heap.hashAt(entries, row, hash);
    else for (let i = 0; i < width; i++) hash = mixWord(hash, entries[row * width + i] as number);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

function sameKey(
  rows: Rows,
  columns: readonly RowColumn[],
  row: number,
  others: Rows,
  otherColumns: readonly RowColumn[],
  other: number,
): boolean {
  return columns.every((column, i) => {
    const otherColumn = otherColumns[i] as RowColumn;
    if (column.isValid(row) !== otherColumn.isValid(other)) return false;
    if (!column.isValid(row)) return true;
    if (isText(column)) return rows.heap.isSame(column.entries, row, others.heap, otherColumn.entries, other);
    for (let word = 0; word < column.width; word++)
      if (column.entries[row * column.width + word] !== otherColumn.entries[other * column.width + word]) return false;
    return true;
  });
}
