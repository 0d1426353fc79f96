import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newDatabasePath } from '../../../testing/stored-session';
import { findRow, leafRows, type LeafRow, type PageAt } from './leaf-page';
import { openSqlite } from './sqlite';

const pageSize = 512;
const overflowing = 20;

type Value = number | string | null | Buffer;

/** One value of each kind and size in which SQLite stores it. */
const values: readonly Value[] = [
  ...[null, 0, 1, 2, 127, -128, 128, -32_768, 32_768, -8_388_608, 8_388_608, -(2 ** 31), 2 ** 31],
  ...[-(2 ** 47), 2 ** 47, -(2 ** 52), 2 ** 53 - 1, 0.5, Buffer.from('bytes'), Buffer.alloc(0)],
  ...['', 'a', 'Überraschung', 'x'.repeat(57), 'y'.repeat(58)],
];

/** The rows of a table in order: every kind of value, then texts of every length around one and two pages. */
const written: readonly (readonly [rowid: number, first: Value, second: Value])[] = [
  ...values.map((value, index) => [index + 1, value, values.at(-1 - index) ?? null] as const),
  ...Array.from({ length: 130 }, (_, index) => [1_000 + index, 'b', 'w'.repeat(430 + index)] as const),
  ...Array.from(
    { length: 60 },
    (_, index) => [2 ** 32 + index, index, 'l'.repeat(900 + index * 31)] as const,
  ),
  [2 ** 45 + 7, 'far', 1],
  [2 ** 52 + 1, 'furthest', 'z'.repeat(overflowing * pageSize)],
];

const asCell = (value: Value): LeafRow['cells'][number] =>
  typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value)) ? value : null;

function writeFile(): { readonly bytes: Buffer; readonly root: number } {
  const path = newDatabasePath();
  const db = openSqlite(path);
  db.exec(`PRAGMA journal_mode = DELETE; PRAGMA page_size = ${pageSize}; VACUUM`);
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, first INTEGER, second INTEGER)');
  const insert = db.prepare('INSERT INTO t VALUES (?, ?, ?)');
  db.exec('BEGIN');
  for (const row of written) insert.run(...row);
  db.exec('COMMIT');
  const { root } = db.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 't'").get() as {
    root: number;
  };
  db.close();
  return { bytes: readFileSync(path), root };
}

const { bytes, root } = writeFile();
const expected = written.map(([rowid, first, second]): LeafRow => ({
  rowid,
  cells: [null, asCell(first), asCell(second)],
}));
const last = expected.at(-1)!;

const pagesOf =
  (file: Buffer): PageAt =>
  (page) =>
    page > 0 && page * pageSize <= file.length ? file.subarray((page - 1) * pageSize, page * pageSize) : null;
const allRows = (file: Buffer): readonly LeafRow[] =>
  Array.from({ length: file.length / pageSize }, (_, index) => index + 1)
    .flatMap((page) => [...leafRows(page, pagesOf(file)(page)!, pagesOf(file))])
    .filter(({ cells }) => cells.length === 3)
    .sort((a, b) => a.rowid - b.rowid);

/** A copy of the file with one page changed. */
function changed(page: number, change: (image: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy.subarray((page - 1) * pageSize, page * pageSize));
  return copy;
}

/** The pages of the chain with the last row's text, in order. */
function lastChain(): readonly number[] {
  const pages: number[] = [];
  const isText = (image: Buffer | null): boolean => image?.subarray(4, 40).toString() === 'z'.repeat(36);
  for (let page = 1; page <= bytes.length / pageSize; page += 1) {
    if (isText(pagesOf(bytes)(page))) pages.push(page);
  }
  const next = new Map(pages.map((page) => [page, pagesOf(bytes)(page)!.readUInt32BE(0)]));
  const targets = new Set(next.values());
  const chain = pages.filter((page) => !targets.has(page));
  for (let page = next.get(chain[0]!); page; page = next.get(page)) chain.push(page);
  return chain;
}

/** The leaf page with the row of this number. */
const leafOf = (rowid: number): number =>
  Array.from({ length: bytes.length / pageSize }, (_, index) => index + 1).find((page) =>
    [...leafRows(page, pagesOf(bytes)(page)!, pagesOf(bytes))].some(
      (row) => row.rowid === rowid && row.cells.length === 3,
    ),
  )!;

describe('[H55] the rows in the pages of a table', () => {
  it('are read as SQLite wrote them: every kind and length of value', () => {
    expect(allRows(bytes)).toEqual(expected);
  });

  it('are found one by one by their number, and none where there is none', () => {
    for (const row of expected) expect(findRow(root, row.rowid, pagesOf(bytes))).toEqual(row);
    for (const rowid of [0, 999, 1_130, 2 ** 32 - 1, 2 ** 45, 2 ** 53 - 1]) {
      expect(findRow(root, rowid, pagesOf(bytes)), `row ${rowid}`).toBeNull();
    }
  });

  it('are found in the schema on page 1, behind the header of the file', () => {
    expect(findRow(1, 1, pagesOf(bytes))?.cells.slice(0, 4)).toEqual(['table', 't', 't', root]);
    expect([...leafRows(1, pagesOf(bytes)(1)!, pagesOf(bytes))]).toHaveLength(1);
  });

  it('are none in a page that is no table leaf, or that does not exist', () => {
    expect([...leafRows(root, pagesOf(bytes)(root)!, pagesOf(bytes))]).toEqual([]);
    expect(findRow(lastChain()[0]!, 1, pagesOf(bytes))).toBeNull();
    expect(findRow(0, 1, pagesOf(bytes))).toBeNull();
  });
});

describe('[H55] a damaged page', () => {
  const chain = lastChain();
  const others = expected.slice(0, -1);

  it.each<readonly [string, (image: Buffer) => void]>([
    ['leads back to itself', (image) => void image.writeUInt32BE(chain[3]!, 0)],
    ['leads back to an earlier page', (image) => void image.writeUInt32BE(chain[1]!, 0)],
    ['ends too early', (image) => void image.writeUInt32BE(0, 0)],
    ['leads out of the file', (image) => void image.writeUInt32BE(9_999_999, 0)],
  ])('in the middle of a long row that %s costs only that row', (_name, change) => {
    expect(chain).toHaveLength(overflowing);
    const file = changed(chain[3]!, change);
    expect(allRows(file)).toEqual(others);
    expect(findRow(root, last.rowid, pagesOf(file))).toBeNull();
  });

  it('whose pointer to a row leads out of it costs only that row', () => {
    const leaf = leafOf(1);
    for (const place of [pageSize - 1, 0xffff]) {
      const file = changed(leaf, (image) => void image.writeUInt16BE(place, 8));
      expect(allRows(file).filter(({ rowid }) => expected.some((row) => row.rowid === rowid))).toEqual(
        expected.slice(1),
      );
    }
  });

  it('that claims more rows than fit still has its own', () => {
    const file = changed(leafOf(1), (image) => void image.writeUInt16BE(0xffff, 3));
    const rows = allRows(file);
    for (const row of expected) expect(rows).toContainEqual(row);
  });

  it('of a tree that leads back to itself ends a search', () => {
    const file = changed(root, (image) => void image.writeUInt32BE(root, 8));
    expect(findRow(root, last.rowid, pagesOf(file))).toBeNull();
    const lost = changed(root, (image) => void image.writeUInt16BE(0xffff, 12));
    expect(findRow(root, 1, pagesOf(lost))).toBeNull();
  });
});
