import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { readJson, readStandardInput, textArgument } from './read-input';

const folder = mkdtempSync(join(tmpdir(), 'patina-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, 'input.json');
  writeFileSync(file, text);
  return file;
}

it('reads a file, also one that begins with a byte order mark', async () => {
  expect(await readJson(fileOf('\uFEFF{"a":1}'))).toEqual({ ok: true, value: { a: 1 } });
});

it('reads standard input to its end, however it is split', async () => {
  const text = '{"name":"\u{1F600}"}';
  const pieces = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  expect(await readJson(undefined, Readable.from(pieces))).toEqual({
    ok: true,
    value: { name: '\u{1F600}' },
  });
});

it.each(['', '{', '{} {}', 'undefined'])('says that %j is not JSON', async (text) => {
  expect(await readJson(fileOf(text))).toMatchObject({
    ok: false,
    error: { kind: 'HOST', code: 'INVALID_INPUT', message: expect.stringContaining('is not JSON') as string },
  });
});

it('names an unreadable file', async () => {
  const missing = { ok: false, error: { kind: 'HOST', code: 'NOT_FOUND' } };
  expect(await readJson(join(folder, 'none.json'))).toMatchObject(missing);
  expect(await readJson(folder)).toMatchObject(missing);
});

it('stops reading endless input', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1024 * 1024, 32);
    })(),
  );
  expect(await readJson(undefined, endless)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(endless.destroyed).toBe(true);
});

it('[CLI-standard-input] reads a text from standard input only for -, and refuses an empty one', async () => {
  const piped = () => Readable.from([Buffer.from('\uFEFFline one\nline'), Buffer.from(' two\n')]);
  expect(await textArgument('-', piped())).toEqual({ ok: true, value: 'line one\nline two\n' });
  expect(await textArgument('a - b', piped())).toEqual({ ok: true, value: 'a - b' });
  const empty = {
    ok: false,
    error: { kind: 'HOST', code: 'INVALID_INPUT', message: 'Standard input is empty.' },
  };
  expect(await textArgument('-', Readable.from([]))).toMatchObject(empty);
  expect(await readStandardInput(3, piped())).toMatchObject({
    error: { message: 'Standard input contains more than 3 bytes.' },
  });
});
