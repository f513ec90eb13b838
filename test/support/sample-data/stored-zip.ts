import { crc32 } from 'node:zlib';

/** January 1, 1980, 0:00, the first date that a zip can contain, so that the same files always give the same bytes. */
const DOS_DATE = (1 << 5) | 1;

/**
 * A zip whose members are stored without compression. Compressed bytes differ between versions of zlib, but the sample
 * must be the same on every machine that generates it.
 */
export function storedZip(members: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, data] of members) {
    const fileName = Buffer.from(name, 'latin1');
    const fields = memberFields(data, fileName.length);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, fileName]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, fileName);
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(members.size, 8);
  end.writeUInt16LE(members.size, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

/** Version, flags, method, time, date, CRC-32, both sizes, lengths of name and extra field. */
function memberFields(data: Buffer, nameLength: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(DOS_DATE, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(nameLength, 22);
  return fields;
}
