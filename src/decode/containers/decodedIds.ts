/** What a container's bytes say of itself, cb58. */
export interface DecodedIds {
  /** Of a block, of a vertex, or of a bare transaction. */
  readonly id: string;
  /** Of the container before; null for what is no block. */
  readonly parentId: string | null;
}
