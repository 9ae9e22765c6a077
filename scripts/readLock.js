import { readFileSync } from 'node:fs';

/** The lock file of the project. */
export const readLock = () => JSON.parse(readFileSync('package-lock.json', 'utf8'));

/** The entries of the lock file that a registry has: by their paths, the project and its workspace left out. */
export const registryPackages = (lock) =>
  Object.entries(lock.packages).filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link);

/** Those of them that an installation without development has, or the bundle holds, on any platform. */
export const runtimePackages = (lock) => registryPackages(lock).filter(([, entry]) => !entry.dev);

/** Name of the package at a path of the lock file. */
export const nameOf = (path, entry) => entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13);
