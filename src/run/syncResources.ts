/**
 * What DuckDB may take during a sync. With 160 MB the process stays below 640 MiB resident, 600 MiB with containers of 1.4 kB;
 * a thread more waits awake most of the time, which takes a tenth of a load's time from JavaScript on two cores.
 */
export const syncResources = { memoryLimit: '160MB', threads: 1 } as const;
