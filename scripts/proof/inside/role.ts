import { basename, dirname } from 'node:path';

/** Variable that names the folder by which a run and the processes it looks into talk. */
export const FOLDER_VARIABLE = 'PROOF_FOLDER';

/** The folder, and what this process is: api, worker or aggregator. */
export function place(): { folder: string; role: string } {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error(`${FOLDER_VARIABLE} is not set`);
  return { folder, role: basename(dirname(dirname(process.argv[1]))) };
}
