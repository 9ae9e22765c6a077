/** What tells the partitions of all streams apart. */
export const partitionName = (stream: string, partition: string): string => `${stream} ${partition}`;
