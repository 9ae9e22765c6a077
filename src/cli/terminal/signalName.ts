/** What people call a signal. */
export const signalName = (signal: NodeJS.Signals): string => (signal === 'SIGINT' ? 'Ctrl-C' : signal);
