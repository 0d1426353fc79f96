import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAttach } from '../../../core/sources/attach';
import { buildEntry } from '../../../testing/build-entry';
import { drawnPdf } from '../../../testing/drawn-pdf';
import { createManualClock } from '../../../testing/manual-clock';
import { must } from '../../../testing/stored-session';
import { createPdfReader, startChildPdfProcess, type PdfProcess } from './pdf-reader';

const folder = mkdtempSync(join(tmpdir(), 'patina-pdf-'));
let bundle = '';
beforeAll(async () => {
  bundle = await buildEntry('main/adapters/pdf/pdf-process.ts');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noTimer = () => () => undefined;
const read = (bytes: Uint8Array) => createPdfReader(startChildPdfProcess(bundle), noTimer)(bytes);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** A script in place of the reader. */
function script(name: string, code: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}

describe('[ITEM-pdf] a PDF', () => {
  it('is read page by page, in a process that ends', async () => {
    const pdf = drawnPdf([['First page,', 'two (lines).'], [], ['Third page.']]);
    expect(must(await read(pdf))).toBe('[Page 1]\nFirst page,\ntwo (lines).\n\n[Page 3]\nThird page.');
  }, 60_000);

  it('that is damaged, protected, textless or too long is a typed error', async () => {
    const fullPage = Array.from({ length: 40 }, () => 'many words '.repeat(5));
    const [plain, pages] = [textOf(drawnPdf([['x']])), 2_001];
    const key = `(${'k'.repeat(32)})`;
    const locked = plain.replace(
      '/Root 1 0 R',
      `/Root 1 0 R /ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`,
    );
    const wrong = [
      [bytesOf('%PDF-1.7 and nothing else'), /damaged/],
      [bytesOf(plain.slice(0, 60)), /damaged/],
      [bytesOf(locked), /protected by a password/],
      [drawnPdf([[], []]), /contains no text/],
      [drawnPdf(Array.from({ length: pages }, () => [])), /more text than can be attached/],
      [drawnPdf(Array.from({ length: 600 }, () => fullPage)), /more text than can be attached/],
    ] as const;
    for (const [bytes, message] of wrong) {
      const answer = await read(bytes);
      expect(answer).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } });
      expect(answer.ok ? '' : answer.error.message).toMatch(message);
    }
  }, 120_000);

  it('that keeps its reader busy forever has the reader killed, and one that kills it is an error', async () => {
    const busy = script('busy', "process.once('message', () => { process.send({}); for (;;); });");
    const { clock, advance } = createManualClock();
    let exited = Promise.resolve();
    let began = Promise.resolve();
    const start = (): PdfProcess => {
      const child = startChildPdfProcess(busy)();
      exited = new Promise((resolve) => child.onExit(resolve));
      began = new Promise((resolve) => child.onAnswer(() => resolve()));
      return { ...child, onAnswer: () => undefined };
    };
    const slow = createPdfReader(start, clock.after)(bytesOf('%PDF-'));
    await began;
    advance(30_000);
    expect(await slow).toMatchObject({ ok: false, error: { message: 'This PDF took too long to read.' } });
    await exited;
    const greedy = script(
      'greedy',
      "process.once('message', () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); });",
    );
    const died = await createPdfReader(startChildPdfProcess(greedy), noTimer)(bytesOf('%PDF-'));
    expect(died).toMatchObject({
      ok: false,
      error: { message: 'This PDF could not be read: its reader ended.' },
    });
  }, 120_000);

  it('is attached as its text under its own name, and an error names the file', async () => {
    const stored: string[] = [];
    const pdf = drawnPdf([['The whole text.']]);
    const attach = createAttach({
      items: {
        put: (content) => {
          stored.push(new TextDecoder().decode(content));
          return { ok: true, value: 'a'.repeat(64) };
        },
        read: () => ({ ok: true, value: pdf }),
        claim: () => ({ ok: true, value: null }),
        release: () => undefined,
      },
      read: (path) =>
        Promise.resolve({
          ok: true,
          value: { ref: path, type: 'file', bytes: path === 'a.pdf' ? pdf : bytesOf('%PDF-1.7') },
        }),
      countTokens: () => Promise.resolve((text) => text.length),
      diff: () => Promise.resolve({ ok: true, value: '' }),
      resource: () => Promise.resolve({ ok: true, value: '' }),
      session: () => ({ ok: true, value: { title: '', text: '' } }),
      pdf: read,
    });
    const source = (path: string) => ({ source: { type: 'path' as const, path }, base: '/work' });
    expect(must(await attach(source('a.pdf')))).toMatchObject({ item: { kind: 'file', ref: 'a.pdf' } });
    expect(stored).toEqual(['[Page 1]\nThe whole text.']);
    const failed = await attach(source('b.pdf'));
    expect(failed).toMatchObject({ ok: false });
    expect(failed.ok ? '' : failed.error.message).toBe('b.pdf: This PDF is damaged, or no PDF.');
  }, 60_000);
});
