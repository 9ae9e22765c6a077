import type { RegisterCommand } from '../registerCommand.ts';

type Load = () => Promise<RegisterCommand>;

const phase =
  (name: 'run' | 'sync' | 'build' | 'publish'): Load =>
  async () =>
    (await import('./phases.ts')).phaseCommands[name];

/** The commands by their names, in the order of the help. Each is loaded when it is called: what cron calls should not load the others. */
export const commands: Readonly<Record<string, Load>> = {
  init: async () => (await import('./init.ts')).initCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  streams: async () => (await import('./streams.ts')).streamsCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  run: phase('run'),
  sync: phase('sync'),
  build: phase('build'),
  publish: phase('publish'),
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand,
  backfill: async () => (await import('./backfill.ts')).backfillCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  sign: async () => (await import('./sign.ts')).signCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  state: async () => (await import('./state.ts')).stateCommand,
  quarantine: async () => (await import('./quarantine.ts')).quarantineCommand,
  dictionary: async () => (await import('./dictionary.ts')).dictionaryCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  schedule: async () => (await import('./schedule.ts')).scheduleCommand,
  devnet: async () => (await import('./devnet.ts')).devnetCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
};
