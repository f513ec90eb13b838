import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type MasterReport,
  type MasterSourceFile,
  type Masters,
  type ParsedMaster,
  parseCandidates,
  parseCommittees,
  parseLinkages,
} from '@donorlens/campaign-finance';
import { SourceError, unzip } from '@donorlens/downloads';
import { type FecFile, type FecFileOptions, type FecSource, fileName, pathInLayout } from '../sources/fec-source';

export const MASTER_KINDS = ['cn', 'cm', 'ccl'] as const;
export type MasterKind = (typeof MASTER_KINDS)[number];
export type MasterFiles = Readonly<Record<MasterKind, FecFile>>;

export interface MasterFileReport extends MasterSourceFile, MasterReport {}

/** The three files of a cycle. @throws SourceError where one is missing */
export async function masterFiles(source: FecSource, cycle: number, options: FecFileOptions): Promise<MasterFiles> {
  const get = async (kind: MasterKind): Promise<FecFile> => {
    const found = await source.file({ cycle, kind }, options);
    if (found === null) throw new SourceError(source.location, `has no ${pathInLayout({ cycle, kind })}`);
    return found;
  };
  return { cn: await get('cn'), cm: await get('cm'), ccl: await get('ccl') };
}

/** One checksum for the three, hexadecimal. */
export function checksumOf(files: MasterFiles): string {
  const hash = createHash('sha256');
  for (const kind of MASTER_KINDS) hash.update(`${kind} ${files[kind].sha256}\n`);
  return hash.digest('hex');
}

/** @throws ZipError, MasterFileError */
export async function readMasters(
  files: MasterFiles,
  cycle: number,
): Promise<{ masters: Masters; files: MasterFileReport[] }> {
  const name = (kind: MasterKind): string => fileName({ cycle, kind });
  const candidates = parseCandidates(name('cn'), await member(files, 'cn', cycle));
  const linkages = parseLinkages(name('ccl'), await member(files, 'ccl', cycle), cycle);
  const committees = parseCommittees(name('cm'), await member(files, 'cm', cycle), linkages.rows);
  const reported = (kind: MasterKind, { report }: ParsedMaster<unknown>): MasterFileReport => {
    const { source, sha256, bytes, retrievedAt } = files[kind];
    return { kind, source, sha256, bytes, retrievedAt, ...report };
  };
  return {
    masters: { candidates: candidates.rows, committees: committees.rows, linkages: linkages.rows },
    files: [reported('cn', candidates), reported('cm', committees), reported('ccl', linkages)],
  };
}

/** The one member that the publisher puts in, unpacked. */
async function member(files: MasterFiles, kind: MasterKind, cycle: number): Promise<Buffer> {
  const members = await unzip(fileName({ cycle, kind }), await readFile(files[kind].path), {
    wanted: new RegExp(`^${kind}\\.txt$`),
    tolerated: /(?!)/, // nothing
    maxMembers: 1,
    maxMemberBytes: 256 << 20,
    maxTotalBytes: 256 << 20,
  });
  return [...members.values()][0];
}
