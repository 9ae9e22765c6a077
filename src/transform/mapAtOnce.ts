import PQueue from 'p-queue';

/** Works on each item, on a number of them at once; gives the results in the order of the items. Once one fails, no further work is begun. */
export function mapAtOnce<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const queue = new PQueue({ concurrency: atOnce });
  return queue.addAll(
    items.map((item) => async () => {
      try {
        return await work(item);
      } catch (error) {
        queue.clear();
        throw error;
      }
    }),
  );
}
