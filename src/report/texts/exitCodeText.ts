const meanings: Readonly<Record<number, string>> = {
  0: 'ok',
  1: 'failed',
  2: 'usage or configuration',
  3: 'a number differs, an audit fails or something is held back',
  4: 'records quarantined or a contract broken',
  73: 'disk',
  75: 'try again later: locked, rate-limited or down',
  77: 'not authorised',
  130: 'stopped by Ctrl-C',
  143: 'stopped by SIGTERM or SIGHUP',
};

/** What a run's exit code means; null stands for a run that never ended. */
export function exitCodeText(code: number | null): string {
  if (code === null) return 'did not end: it was killed, the machine stopped, or the disk was full';
  return meanings[code] ?? 'unknown';
}
