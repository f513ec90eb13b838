/** Folders in which programs of this machine are looked for. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env.PATH ?? '';
