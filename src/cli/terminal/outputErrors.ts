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
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY)) return;
      const isOut = stream === process.stdout;
      const message = `Could not write ${isOut ? 'the output' : 'to stderr'}: ${error.message}.`;
      if (isOut) process.stderr.write(`firn: ${message}\n`);
      if (isLog) return;
      if (!isOut) process.stdout.write(toldOnStdout(message));
      process.exit(73);
    });
}

/** Beside documents for machines an error is one, too; where there is one already, nothing. */
function toldOnStdout(message: string): string {
  if (!process.argv.includes('--json')) return `firn: ${message}\n`;
  const isFirst = process.stdout.bytesWritten === 0;
  return isFirst ? `${JSON.stringify({ error: { code: 'disk', message, exitCode: 73 } }, null, 2)}\n` : '';
}
