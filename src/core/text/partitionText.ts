interface Named {
  readonly stream: string;
  readonly partition: string;
}

/** What is said of a partition, its name before it once. */
export const partitionText = ({ message = '', ...one }: Named & { readonly message?: string }): string =>
  `${one.stream} (${one.partition}): ${withoutName(message, [one])}`;

/** A message without the name of one of these partitions, or of its stream, with which some messages begin. */
export function withoutName(message: string, partitions: Iterable<Named>): string {
  for (const { stream, partition } of partitions)
    for (const name of [`${stream} (${partition}): `, `${stream}: `])
      if (message.startsWith(name)) return message.slice(name.length);
  return message;
}
