import { crc32, deflateRawSync } from 'node:zlib';

export interface RawEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The Unix mode, such as that of a link. */
  readonly mode?: number;
  /** The size that the archive claims; absent: the real one. */
  readonly claims?: number;
}

const unixCreator = 0x0314;
const utf8Names = 0x0800;
const deflated = 8;

function headers({ name, content, mode = 0o100644, claims }: RawEntry, offset: number) {
  const bytes = Buffer.from(content);
  const packed = deflateRawSync(bytes);
  const rawName = Buffer.from(name);
  const shared = Buffer.alloc(26);
  [20, utf8Names, deflated].forEach((value, at) => shared.writeUInt16LE(value, at * 2));
  shared.writeUInt32LE(crc32(bytes), 10);
  shared.writeUInt32LE(packed.length, 14);
  shared.writeUInt32LE(claims ?? bytes.length, 18);
  shared.writeUInt16LE(rawName.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, rawName, packed]);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(mode * 0x10000, 6);
  tail.writeUInt32LE(offset, 10);
  const creator = Buffer.alloc(2);
  creator.writeUInt16LE(unixCreator);
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002'), creator, shared, tail, rawName]);
  return { local, central };
}

/** A ZIP archive with entries that an honest writer refuses: any name, mode and claimed size, also twice. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = headers(entry, offset);
    locals.push(local);
    centrals.push(central);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
}
