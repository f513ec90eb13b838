import { open } from 'node:fs/promises';
import { ImportError } from '../import-error';
import { ZipArchive, openText } from '../sources/text-file';
import { fileNumberIn } from './parser/filing-values';

/** The text of a filing, which can be read several times. */
export interface FilingFile {
  readonly source: string;
  /** Number of the filing by its file name; null if the name has none. */
  readonly fileNum: string | null;
  pieces(): AsyncIterable<Buffer>;
}

const ZIP_MAGIC = '504b';
const FILING_MEMBER = /^\d{1,9}\.fec$/;

/**
 * Calls `visit` with the filing of a file, or with all filings of a daily zip in the order of their numbers.
 * @throws ImportError `no_file`, `damaged_file`, `unexpected_member`
 */
export async function eachFiling(
  path: string,
  source: string,
  visit: (filing: FilingFile) => Promise<void>,
): Promise<void> {
  if (await isZip(path)) return eachMember(path, source, visit);
  return visit({ source, fileNum: fileNumberIn(source) ?? fileNumberIn(path), pieces: () => textOf(path) });
}

async function eachMember(path: string, source: string, visit: (filing: FilingFile) => Promise<void>): Promise<void> {
  const zip = await ZipArchive.open(path);
  try {
    const strange = zip.members.find(({ fileName }) => !FILING_MEMBER.test(fileName));
    if (strange !== undefined) throw unexpected(path, `holds ${JSON.stringify(strange.fileName.slice(0, 80))}`);
    if (zip.members.length === 0) throw unexpected(path, 'holds no filing');
    for (const member of zip.members.toSorted((a, b) => parseInt(a.fileName) - parseInt(b.fileName)))
      await visit({
        source: `${source}/${member.fileName}`,
        fileNum: fileNumberIn(member.fileName),
        pieces: () => zip.pieces(member),
      });
  } finally {
    zip.close();
  }
}

async function* textOf(path: string): AsyncGenerator<Buffer, void> {
  const text = await openText(path, { member: '', ignored: /(?!)/ });
  try {
    yield* text.pieces();
  } finally {
    text.close();
  }
}

async function isZip(path: string): Promise<boolean> {
  try {
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
      return buffer.toString('hex', 0, bytesRead) === ZIP_MAGIC;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new ImportError('no_file', `${path}: cannot be read (${error instanceof Error ? error.message : ''})`, {
      file: path,
    });
  }
}

const unexpected = (file: string, what: string): ImportError =>
  new ImportError('unexpected_member', `${file}: ${what} where only filings should be`, { file });
