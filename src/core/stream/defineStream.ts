import { z } from 'zod';
import { rfc3339 } from '../columns/columns.ts';
import type { Files } from '../columns/layout.ts';
import { type Column, columnNamed, defineTable, type Table } from '../columns/table.ts';
import { checkDeclaration, checkedPartitions, checkedPositions } from './checkDeclaration.ts';
import { checkTables } from './checkTables.ts';
import { lookback } from './looksBack.ts';
import type { NetworkFacts } from './network.ts';
import type { Partition, PartitionColumn, Position } from './partition.ts';
import type { Source } from './source.ts';
import type {
  ActionStream,
  Child,
  ChildPath,
  Declared,
  Derived,
  Deriving,
  Enrichment,
  Follows,
  Keeps,
  LookupStream,
  Need,
  PagedStream,
  RangeStream,
  SnapshotStream,
} from './stream.ts';

type Shape = z.ZodObject<z.ZodRawShape>;

interface ChildDeclaration {
  readonly description: string;
  readonly schema: Shape;
  /**
   * Columns that, beside the parent's key, name a row. `position` is added to the table when it stands here: alone it is the
   * place in the record's list, else it counts rows that are alike in the other columns.
   */
  readonly key: readonly string[];
  /** As of the stream's own table, whose range it has where this is left out. */
  readonly range?: string;
  /** Left out where `derive` makes the rows. */
  readonly of?: ChildPath;
  /** The column that holds the name of the list, where there are several. */
  readonly listed?: PartitionColumn;
  readonly write?: 'replace' | 'union';
  /** As of the stream's own table. */
  readonly volatile?: readonly string[];
  /** How its rows follow each other, where they do. */
  readonly follows?: Follows;
}

interface Common<Schema extends Shape, Parameters extends Shape, Of extends Partition, State> {
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly parameters: Parameters;
  readonly partitionColumns?: readonly PartitionColumn[];
  partitions(parameters: z.infer<Parameters>, network: NetworkFacts): readonly Of[];
  readonly needs?: readonly Need[];
  state?(): State;
  readonly schema: Schema;
  /** `position` is added to the table when it stands here: it counts rows of a page that are alike in the other columns. */
  readonly key: readonly string[];
  /**
   * Column of integers or times that bounds the search for rows of the same key. It must never change in a row: an older one that lies outside
   * of what a batch spans is not found, and stays beside the new one.
   */
  readonly range?: string;
  /** By table name without the source: `evm_transactions` of a node stream fills `raw.node_evm_transactions`. */
  readonly children?: Readonly<Record<string, ChildDeclaration>>;
  derive?(row: Deriving, partition: Of, network: NetworkFacts): Derived;
  readonly enrichment?: Enrichment;
  readonly keeps?: Keeps;
  readonly lifts?: string | readonly string[];
  notes?(partition: Of, state: State, kept: number): readonly string[];
  /** How the files of a table that grows are cut: by the time named here, else by `range`. Left out: one file. */
  readonly files?: Files;
  /** The time of what a row tells, where that is not `files.time`. */
  readonly time?: string;
  /** The height of its block on the partition's chain. */
  readonly height?: string;
  /** Columns whose changes are kept with the time of the answer. */
  readonly keepRevisionsOf?: readonly string[];
  /**
   * Columns of a snapshot that change from look to look: a change in them alone makes no version. The current row holds what was seen last, a
   * past one what was seen last of it; their course is kept once a day in `<table>_daily`.
   */
  readonly volatile?: readonly string[];
  readonly deprecated?: { readonly since: string; readonly use: string };
}

/** What a stream is beside its way of reading. */
type Base = Exclude<keyof ActionStream, 'way'>;

type Ways =
  | Omit<RangeStream, Base>
  | Omit<PagedStream, Base>
  | Omit<SnapshotStream, Base>
  | Omit<LookupStream, Base>
  | Pick<ActionStream, 'way'>;

/**
 * Declares a stream: where it reads, its columns (one zod schema), its key, and how pages follow each other. The raw
 * table, its children, the Arrow schema, the DDL and the data dictionary follow from the declaration.
 *
 * @throws TypeError when something is missing, `source` is no source, a column that is named is not there or of another type, one is there
 *   twice or has a name that it cannot have, or rows would be lost
 */
export function defineStream<S extends Shape, P extends Shape, Of extends Partition, State>(
  source: Source,
  declaration: Common<S, P, Of, State> & Omit<RangeStream<Of, State>, Base>,
): RangeStream<Of, State>;
export function defineStream<
  S extends Shape,
  P extends Shape,
  Of extends Partition,
  State,
  At extends Position,
  Beside extends Position,
>(
  source: Source,
  declaration: Common<S, P, Of, State> & Omit<PagedStream<Of, At, Beside, State>, Base>,
): PagedStream<Of, At, Beside, State>;
export function defineStream<S extends Shape, P extends Shape, Of extends Partition, State>(
  source: Source,
  declaration: Common<S, P, Of, State> & Omit<LookupStream<Of>, Base>,
): LookupStream<Of>;
export function defineStream<S extends Shape, P extends Shape>(
  source: Source,
  declaration: Common<S, P, Partition, unknown> & Pick<ActionStream, 'way'>,
): ActionStream;
// Last, since a compiler tells what is wrong by the last form, and most streams have this one.
export function defineStream<S extends Shape, P extends Shape, Of extends Partition, State>(
  source: Source,
  declaration: Common<S, P, Of, State> & Omit<SnapshotStream<Of>, Base>,
): SnapshotStream<Of>;
export function defineStream(source: Source, declaration: Common<Shape, Shape, Partition, unknown> & Ways): Declared {
  checkDeclaration(source, declaration);
  const base = `raw.${source.name}_${declaration.name}`;
  const leading = (declaration.partitionColumns ?? []).map(columnOf);
  const columns = leading.map(({ name }) => name);
  if (declaration.key.includes('position')) leading.push(numbered);
  const table = defineTable({
    name: base,
    description: declaration.description,
    schema: declaration.schema,
    key: declaration.key,
    range: declaration.range,
    leading,
    trailing: declaration.keepRevisionsOf && [withdrawn],
    history: declaration.way === 'snapshot',
    volatile: declaration.volatile,
  });
  const { children = {}, keepRevisionsOf, volatile: _, ...rest } = declaration;
  const stream = {
    ...rest,
    partitions: (parameters: never, network: NetworkFacts) =>
      checkedPartitions(declaration.name, columns, declaration.partitions(parameters, network)),
    ...('head' in rest && checkedPositions(declaration.name, rest)),
    ...('looksBack' in rest && { parameters: rest.parameters.extend({ lookback }) }),
    source,
    id: `${source.name}/${declaration.name}`,
    table,
    children: Object.fromEntries(
      Object.entries(children).map(([name, child]) => [
        name,
        childOf(table, `raw.${source.name}_${name}`, child, declaration.way === 'snapshot'),
      ]),
    ),
    ...(keepRevisionsOf && { revisions: revisionsOf(table, keepRevisionsOf) }),
  } as never as Declared;
  checkTables(stream, columns);
  return stream;
}

const columnOf = ({ name, description, type = 'varchar' }: PartitionColumn): Column => ({
  name,
  type,
  nullable: false,
  description,
});

const placed: Column = {
  name: 'position',
  type: 'integer',
  nullable: false,
  description: 'Place in the parent, from 0.',
};
/** For rows without a key of their own, whose order means nothing. */
const numbered: Column = { ...placed, description: 'Number among rows with the same key otherwise, from 0.' };

/** Of values that are kept with their changes. */
const withdrawn: Column = {
  name: 'withdrawn',
  type: 'boolean',
  nullable: true,
  description:
    'True where a later answer, which had later rows, left it out: the value is the last one served. NULL where it is served.',
};

function childOf(parent: Table, name: string, child: ChildDeclaration, history: boolean): Child {
  const ofParent = child.key.find((key) => parent.key.includes(key));
  if (ofParent !== undefined)
    throw new TypeError(
      `table ${name}: its key names "${ofParent}", which is its parent's: name what tells rows of one parent apart, a member of that name as named('its_${ofParent}', …)`,
    );
  const inherited = parent.key.flatMap((key) => parent.columns.find((column) => column.name === key) ?? []);
  const position = child.key.length === 1 ? placed : numbered;
  const leading = child.key.includes('position') ? [...inherited, position] : inherited;
  return {
    table: defineTable({
      name,
      description: child.description,
      schema: child.schema,
      key: [...parent.key, ...child.key],
      range: child.range ?? parent.range,
      leading: [...parentRange(parent, child, leading), ...(child.listed ? [columnOf(child.listed)] : [])],
      history,
      volatile: child.volatile,
    }),
    ...(child.of && { of: child.of }),
    ...(child.listed && { listed: child.listed.name }),
    write: child.write ?? 'replace',
    ...(child.follows && { follows: child.follows }),
  };
}

/** Children carry the parent's range column, so that their rows are found by it too. */
function parentRange(parent: Table, child: ChildDeclaration, leading: readonly Column[]): readonly Column[] {
  const range = child.range ?? parent.range;
  const column = parent.columns.find((candidate) => candidate.name === range);
  const present = leading.some(({ name }) => name === range) || Object.keys(child.schema.shape).includes(range ?? '');
  return column && !present && range === parent.range ? [...leading, column] : leading;
}

function revisionsOf(table: Table, columns: readonly string[]): Table {
  const names = new Set([...table.key, ...(table.range ? [table.range] : []), ...columns, withdrawn.name]);
  const kept = [...names].map((name) => columnNamed(table, name, 'whose changes could be kept'));
  return defineTable({
    name: `${table.name}_revisions`,
    description: `Every value of ${table.name} that was ever served, with the time of the answer; once more where an answer a day later agrees.`,
    schema: z.object({ fetched_at: rfc3339('When the answer was asked for.') }),
    key: [...table.key, 'fetched_at'],
    range: table.range,
    leading: kept,
  });
}
