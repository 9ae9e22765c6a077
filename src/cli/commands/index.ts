import type { RegisterCommand } from '../registerCommand.ts';

/** The commands by name, in the order of the help. Each is loaded when it is called: what others need takes most of a start. */
const loaders: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  streams: async () => (await import('./streams.ts')).streamsCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  run: async () => (await import('./phaseCommands.ts')).phaseCommands.run,
  sync: async () => (await import('./phaseCommands.ts')).phaseCommands.sync,
  build: async () => (await import('./phaseCommands.ts')).phaseCommands.build,
  publish: async () => (await import('./phaseCommands.ts')).phaseCommands.publish,
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand,
  backfill: async () => (await import('./backfill.ts')).backfillCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  sign: async () => (await import('./sign.ts')).signCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  state: async () => (await import('./state.ts')).stateCommand,
  quarantine: async () => (await import('./quarantine.ts')).quarantineCommand,
  dictionary: async () => (await import('./dictionary.ts')).dictionaryCommand,
  'dbt-project': async () => (await import('./dbtProject.ts')).dbtProjectCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  query: async () => (await import('./query.ts')).queryCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  worker: async () => (await import('./worker.ts')).workerCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  schedule: async () => (await import('./schedule.ts')).scheduleCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
  devnet: async () => (await import('./devnet.ts')).devnetCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  cluster: async () => (await import('./cluster.ts')).clusterCommand,
};

/** The command of this name; all of them without a name, or with one that nobody has, for the help. */
export async function loadCommands(name?: string): Promise<RegisterCommand[]> {
  const one = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return Promise.all((one ? [one] : Object.values(loaders)).map((load) => load()));
}
