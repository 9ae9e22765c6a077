import type { RegisterCommand } from '../runCli.ts';
import { phaseCommands } from './phases.ts';

/** The commands, in the order of the help. */
export const commands: readonly RegisterCommand[] = [...phaseCommands];
