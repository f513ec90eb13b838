import { compileFolder, openRelease, type Release, SAMPLE_FOLDER } from '@donorlens/reference-data';

let compiled: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** The sample without step tables: the same answers, ready at once. */
export const sampleBinary = (): Promise<Uint8Array<ArrayBuffer>> =>
  (compiled ??= compileFolder(SAMPLE_FOLDER, { steps: false }));

export const sampleTables = async (): Promise<Release> => openRelease(await sampleBinary());
