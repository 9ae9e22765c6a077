import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/**
 * Line and column (`:3:5`) of what a path leads to: a member's key, or an item of a list; of what is not there, the place where it should be. Empty
 * for the whole document.
 */
export function yamlPlace(document: Document.Parsed, lines: LineCounter, path: readonly PropertyKey[]): string {
  let [found, node]: [Node | null, Node | null] = [null, document.contents];
  for (const part of path) {
    const inner = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap<Node, Node>(inner)
      ? inner.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      : null;
    const item = isSeq<Node>(inner) ? inner.items[Number(part)] : pair?.key;
    if (!item) break;
    [found, node] = [item, pair ? pair.value : item];
  }
  if (!found?.range) return '';
  const { line, col } = lines.linePos(found.range[0]);
  return `:${line}:${col}`;
}
