import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFolder, openRelease, type Release, SAMPLE_FOLDER } from '@donorlens/reference-data';
import { TEST_FOLDER } from './names';

let compiled: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** The sample without step tables: the same answers, ready at once. Compiled by the first of a run who asks for it. */
export const sampleBinary = (): Promise<Uint8Array<ArrayBuffer>> => (compiled ??= sharedBinary());

export const sampleTables = async (): Promise<Release> => openRelease(await sampleBinary());

async function sharedBinary(): Promise<Uint8Array<ArrayBuffer>> {
  const compile = () => compileFolder(SAMPLE_FOLDER, { steps: false });
  const folder = process.env[TEST_FOLDER];
  if (folder === undefined) return compile();
  const file = join(folder, 'sample-release');
  if (!existsSync(file)) {
    const mine = `${file}.${process.pid}`;
    writeFileSync(mine, await compile());
    renameSync(mine, file); // atomic, also if another process compiles it at the same time
  }
  return new Uint8Array(readFileSync(file));
}
