import { readFileSync } from 'node:fs';

/** The lock file of the project. */
export const readLock = () => JSON.parse(readFileSync('package-lock.json', 'utf8'));

/** The entries of the lock file that an installation without development has, on any platform: by their paths, the project left out. */
export function runtimePackages(lock) {
  return Object.entries(lock.packages).filter(([path, entry]) => path !== '' && !entry.dev && !entry.link);
}

/** Name of the package at a path of the lock file. */
export const nameOf = (path, entry) => entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13);
