import { join } from 'node:path';
import { compileRelease } from './compile-release';
import { FolderSource } from './folder-source';

/** The files that ship with the project; the build copies them beside the compiled code. */
export const SAMPLE_FOLDER = join(__dirname, '..', 'sample');

export const sampleSource = (): Promise<FolderSource> => FolderSource.at(SAMPLE_FOLDER);

/** Compiles a folder of official files (or the sample) without a database. */
export async function compileFolder(
  folder: string,
  options: { steps?: boolean; onProgress?: (step: string) => void } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const source = await FolderSource.at(folder);
  return compileRelease(await source.fetch(), {
    label: source.label,
    createdAt: new Date().toISOString(),
    ...options,
  });
}
