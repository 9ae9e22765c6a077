/** Whether a run read a partition to its end: all that its source offered then. */
export const isReadToEnd = ({ outcome, behind }: { readonly outcome?: unknown; readonly behind?: unknown }): boolean =>
  outcome === 'done' && !behind;
