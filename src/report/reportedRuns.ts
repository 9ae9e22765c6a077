/** How many of the newest runs are reported. */
export const reportedRuns = 60;
