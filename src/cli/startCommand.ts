import { mainFile } from './mainFile.ts';

/** How this very firn is started, whatever is on the PATH of cron or systemd: Node and the command line by their absolute paths. */
export const startCommand = (): readonly string[] => [process.execPath, mainFile()];
