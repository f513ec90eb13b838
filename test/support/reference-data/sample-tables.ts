import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pool } from 'pg';
import { compileFolder, openRelease, type Release, ReleaseRepository, SAMPLE_FOLDER } from '@donorlens/reference-data';
import { TEST_FOLDER } from '../servers/environment-names';

let compiled: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** The sample without step tables: the same answers, but quick to compile. The first caller of a run compiles it. */
export const sampleBinary = (): Promise<Uint8Array<ArrayBuffer>> => (compiled ??= sharedBinary());

export const sampleTables = async (): Promise<Release> => openRelease(await sampleBinary());

/** Stores the sample with its bytes and makes it the active release. */
export async function activateSample(pool: Pool): Promise<Release> {
  const release = await sampleTables();
  const releases = new ReleaseRepository(pool);
  await releases.store(release, await sampleBinary());
  await releases.activate(release.id);
  return release;
}

async function sharedBinary(): Promise<Uint8Array<ArrayBuffer>> {
  const compile = () => compileFolder(SAMPLE_FOLDER, { steps: false });
  const folder = process.env[TEST_FOLDER];
  if (folder === undefined) return compile();
  const file = join(folder, 'sample-release');
  if (!existsSync(file)) {
    const mine = `${file}.${process.pid}`;
    writeFileSync(mine, await compile());
    renameSync(mine, file); // atomic, also if another process compiles at the same time
  }
  return new Uint8Array(readFileSync(file));
}
