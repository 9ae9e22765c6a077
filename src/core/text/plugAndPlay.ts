/**
 * What to say where Yarn's Plug'n'Play stands between firn and the disk; null where it does not. Its files cannot be brought to the disk (fsync),
 * and a process that firn starts finds no packages.
 *
 * @param versions of Node and what it runs with
 */
export const plugAndPlay = (versions: Readonly<Record<string, string | undefined>>): string | null =>
  versions['pnp'] === undefined
    ? null
    : "firn cannot run under Yarn's Plug'n'Play, which has no fsync. Write nodeLinker: node-modules into .yarnrc.yml and run yarn install, or install firn-etl in a folder of its own with npm.";
