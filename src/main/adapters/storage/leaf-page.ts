/**
 * Reads the rows of a table's pages as bytes (sqlite.org, "Database File Format", sections 1.6 and 2.1), for
 * when SQLite cannot find or follow the table or must not open it. Everything read here is unverified until a
 * row's own checksum matches.
 */
export type Cell = number | string | null;

export interface LeafRow {
  readonly rowid: number;
  readonly cells: readonly Cell[];
}

/** The image of a page at one point in time, or null when there is none. */
export type PageAt = (page: number) => Buffer | null;

const leafTable = 0x0d;
const interiorTable = 0x05;
/** SQLite's page trees are never this deep; a damaged tree may contain a cycle. */
const maxDepth = 20;
/** A session event is far smaller; a larger length is damaged. */
const largestRow = 64 * 1024 * 1024;

/** Reads a variable-length integer and the offset after it; exact up to 2^53. */
function varint(bytes: Buffer, at: number): readonly [number, number] {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9];
}

/**
 * Reassembles a row whose remainder lies in a chain of overflow pages. Rejects a chain that contains a cycle:
 * a damaged length never allocates more than the size of the file.
 */
function payload(page: Buffer, at: number, length: number, pageAt: PageAt): Buffer | null {
  const usable = page.length;
  if (length <= usable - 35) return page.subarray(at, at + length);
  const minLocal = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wanted = minLocal + ((length - minLocal) % (usable - 4));
  const local = wanted <= usable - 35 ? wanted : minLocal;
  if (at + local + 4 > usable) return null;
  const parts = [page.subarray(at, at + local)];
  const seen = new Set<number>();
  let [missing, next] = [length - local, page.readUInt32BE(at + local)];
  while (missing > 0) {
    const image = next === 0 || seen.has(next) ? null : pageAt(next);
    if (!image) return null;
    seen.add(next);
    parts.push(image.subarray(4, 4 + Math.min(missing, usable - 4)));
    missing -= usable - 4;
    next = image.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8];

function cellOf(bytes: Buffer, type: number, at: number): readonly [Cell, number] {
  if (type === 0) return [null, 0];
  if (type === 8 || type === 9) return [type - 8, 0];
  const size = type < integerBytes.length ? integerBytes[type] : undefined;
  if (size === 8) return [Number(bytes.readBigInt64BE(at)), 8];
  if (size !== undefined) return [bytes.readIntBE(at, size), size];
  const length = Math.floor((type - 12) / 2);
  const isText = type >= 13 && type % 2 === 1;
  return [isText ? bytes.toString('utf8', at, at + length) : null, type >= 12 ? length : 8];
}

function record(bytes: Buffer): readonly Cell[] {
  const [headerEnd, first] = varint(bytes, 0);
  const cells: Cell[] = [];
  let [at, body] = [first, headerEnd];
  while (at < headerEnd && body <= bytes.length) {
    const [type, next] = varint(bytes, at);
    const [cell, size] = cellOf(bytes, type, body);
    cells.push(cell);
    at = next;
    body += size;
  }
  return cells;
}

function rowAt(page: Buffer, pointer: number, pageAt: PageAt): LeafRow | null {
  try {
    const [length, afterLength] = varint(page, pointer);
    const [rowid, start] = varint(page, afterLength);
    if (length > largestRow) return null;
    const bytes = payload(page, start, length, pageAt);
    return bytes && bytes.length === length ? { rowid, cells: record(bytes) } : null;
  } catch {
    // A read past the end of the page means that the row is damaged.
    return null;
  }
}

/**
 * Offsets of the cells in a page; `first` is the length of the page header, which depends on the page type.
 */
function* cellPointers(page: Buffer, header: number, first: number): Iterable<number> {
  const count = page.readUInt16BE(header + 3);
  for (let index = 0; index < count; index += 1) {
    const slot = header + first + index * 2;
    if (slot + 2 > page.length) return;
    yield page.readUInt16BE(slot);
  }
}

/** The header of the file precedes the header of page 1. */
const pageHeader = (page: number): number => (page === 1 ? 100 : 0);

/**
 * The readable rows of a page, given its number and image; none when it is not a table leaf. Yields one row
 * at a time, because a damaged page may claim thousands of rows that all lead into one long chain.
 */
export function* leafRows(number: number, page: Buffer, pageAt: PageAt): Iterable<LeafRow> {
  const header = pageHeader(number);
  if (page[header] !== leafTable) return;
  for (const pointer of cellPointers(page, header, 8)) {
    const row = rowAt(page, pointer, pageAt);
    if (row) yield row;
  }
}

function childOf(page: Buffer, header: number, rowid: number): number {
  for (const pointer of cellPointers(page, header, 12)) {
    if (pointer + 4 > page.length) return 0;
    if (rowid <= varint(page, pointer + 4)[0]) return page.readUInt32BE(pointer);
  }
  return page.readUInt32BE(header + 8);
}

function rowOfLeaf(page: Buffer, header: number, rowid: number, pageAt: PageAt): LeafRow | null {
  for (const pointer of cellPointers(page, header, 8)) {
    const [, afterLength] = varint(page, pointer);
    if (varint(page, afterLength)[0] === rowid) return rowAt(page, pointer, pageAt);
  }
  return null;
}

/**
 * One row of the table whose tree has its root at page `root`, found by reading a few pages; null when the
 * row or a path to it is missing.
 */
export function findRow(root: number, rowid: number, pageAt: PageAt): LeafRow | null {
  let number = root;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const page = pageAt(number);
    const header = pageHeader(number);
    if (page?.[header] === leafTable) return rowOfLeaf(page, header, rowid, pageAt);
    if (page?.[header] !== interiorTable) return null;
    number = childOf(page, header, rowid);
  }
  return null;
}
