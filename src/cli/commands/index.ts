import type { RegisterCommand } from '../registerCommand.ts';
import { backfillCommand } from './backfill.ts';
import { demoCommand } from './demo.ts';
import { devnetCommand } from './devnet.ts';
import { dictionaryCommand } from './dictionary.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { initCommand } from './init.ts';
import { phaseCommands } from './phases.ts';
import { planCommand } from './plan.ts';
import { quarantineCommand } from './quarantine.ts';
import { reconcileCommand } from './reconcile.ts';
import { reportCommand } from './report.ts';
import { scheduleCommand } from './schedule.ts';
import { serveCommand } from './serve.ts';
import { signCommand } from './sign.ts';
import { stateCommand } from './state.ts';
import { statusCommand } from './status.ts';
import { streamsCommand } from './streams.ts';
import { verifyCommand } from './verify.ts';

/** The commands, in the order of the help. */
export const commands: readonly RegisterCommand[] = [
  initCommand,
  doctorCommand,
  streamsCommand,
  planCommand,
  ...phaseCommands,
  reconcileCommand,
  backfillCommand,
  exportCommand,
  signCommand,
  statusCommand,
  verifyCommand,
  stateCommand,
  quarantineCommand,
  dictionaryCommand,
  reportCommand,
  serveCommand,
  scheduleCommand,
  devnetCommand,
  demoCommand,
];
