/**
 * What DuckDB may take during a sync. With 96 MB the process stays below 512 MiB resident on 10,000 blocks with receipts and logs, where
 * 160 MB take 560 MiB and save a fiftieth of the time; a thread more waits awake most of the time, which takes a tenth of a load's time from
 * JavaScript on two cores.
 */
export const syncResources = { memoryLimit: '96MB', threads: 1 } as const;
