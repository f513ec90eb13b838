import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A zip of these members. */
export function zipped(members: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of members) zip.addBuffer(bytes, name);
  zip.end();
  return buffer(zip.outputStream);
}
