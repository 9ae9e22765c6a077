/** The configuration of commands that name no other, in the folder where they run. */
export const defaultConfig = 'firn.yaml';
