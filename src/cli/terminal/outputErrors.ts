/** Whether what is written tells of a process that does its work all the same. */
let isLog = false;

/** For commands that stay for months: a line that a full disk does not take is lost, and they go on. */
export const outliveOutput = (): void => {
  isLog = true;
};

/**
 * A command whose output cannot be written ends with 73. A reader that has seen enough (`| head`) ends nothing but its own reading, and a
 * terminal that is gone (SIGHUP) no run.
 */
export function listenForOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY)) return;
      if (stream === process.stdout) process.stderr.write(`firn: Could not write the output: ${error.message}.\n`);
      if (!isLog) process.exit(73);
    });
  }
}
