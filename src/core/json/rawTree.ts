import { afterPlainString, afterSpace, afterValue, isName } from './bytes.ts';
import { type Cut, RawValue } from './rawValue.ts';

/** An object of a tree, without the list of those under it. */
export interface RawNode {
  readonly value: RawValue;
  /** Place of the object above it; -1 for the root. */
  readonly parent: number;
  /** Members that were asked for, unparsed. */
  readonly members: readonly (RawValue | undefined)[];
}

interface Open {
  readonly place: number;
  readonly parent: number;
  readonly from: number;
  readonly members: (RawValue | undefined)[];
  cut: Cut | undefined;
}

/**
 * The objects of a tree in preorder, in one walk whatever its depth.
 *
 * @param under the member that lists the objects under an object
 * @param names members that are asked for
 * @returns undefined where something else than an object stands in the place of one, or than a list in that of a list
 */
export function rawTree(root: RawValue, under: string, names: readonly string[]): readonly RawNode[] | undefined {
  const { bytes } = root;
  const nodes: RawNode[] = [];
  const open: Open[] = [];
  let p = root.from;

  const begin = (): boolean => {
    if (bytes[p] !== 0x7b) return false;
    const parent = open.at(-1)?.place ?? -1;
    open.push({
      place: nodes.length,
      parent,
      from: p,
      members: new Array(names.length).fill(undefined),
      cut: undefined,
    });
    // Its value is known at its end.
    nodes.push({ value: root, parent, members: [] });
    p = afterSpace(bytes, p + 1);
    return bytes[p] === 0x22 || bytes[p] === 0x7d;
  };
  /** To the next member, or the end of the object. */
  const next = (): boolean => {
    p = afterSpace(bytes, p);
    if (bytes[p] === 0x7d) return true;
    if (bytes[p] !== 0x2c) return false;
    p = afterSpace(bytes, p + 1);
    return bytes[p] === 0x22;
  };
  /** To the next object of a list, or behind the list. */
  const nextUnder = (above: Open): boolean => {
    p = afterSpace(bytes, p);
    if (bytes[p] === 0x2c) {
      p = afterSpace(bytes, p + 1);
      return begin();
    }
    if (bytes[p] !== 0x5d) return false;
    p++;
    above.cut = { ...(above.cut as Cut), to: p };
    return next();
  };
  const member = (object: Open): boolean => {
    const name = p;
    // A name with escapes may be any.
    const behind = afterPlainString(bytes, p);
    if (behind < 0) return false;
    p = afterSpace(bytes, behind);
    if (bytes[p] !== 0x3a) return false;
    p = afterSpace(bytes, p + 1);
    const from = p;
    if (isName(bytes, name + 1, behind - 1, under)) {
      if (object.cut || bytes[p] !== 0x5b) return false;
      object.cut = { name, from, to: p };
      p = afterSpace(bytes, p + 1);
      return bytes[p] === 0x5d ? nextUnder(object) : begin();
    }
    p = afterValue(bytes, from);
    if (p < 0) return false;
    const at = names.findIndex((wanted) => isName(bytes, name + 1, behind - 1, wanted));
    if (at >= 0) object.members[at] = new RawValue(bytes, from, p);
    return next();
  };

  if (!begin()) return undefined;
  for (;;) {
    const object = open.at(-1) as Open;
    if (bytes[p] !== 0x7d) {
      if (!member(object)) return undefined;
      continue;
    }
    const { place, parent, from, members, cut } = object;
    nodes[place] = { value: new RawValue(bytes, from, ++p, { cut }), parent, members };
    open.pop();
    const above = open.at(-1);
    if (!above) return nodes;
    if (!nextUnder(above)) return undefined;
  }
}
