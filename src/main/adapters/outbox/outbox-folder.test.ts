import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempTree, type TempTree } from '../../../testing/temp-tree';
import type { OutgoingMail } from '../../../core/ports/outbox';
import { createOutboxFolder } from './outbox-folder';

let tree: TempTree;
beforeEach(() => (tree = createTempTree()));
afterEach(() => tree.remove());

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const mail: OutgoingMail = {
  senderName: 'Ada Lovelace',
  list: { id: 'LIST-9', displayName: 'Q1 pilot list' },
  template: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
  subject: 'Your first quarter',
  text: 'Hello,\n\nthis is a message.\n',
};

const outbox = () => createOutboxFolder({ folder: path.join(tree.root, 'outbox'), now: () => now });
async function put(change: Partial<OutgoingMail> = {}): Promise<string> {
  const done = await outbox().put({ ...mail, ...change });
  if (!done.ok) throw new Error(done.error.message);
  return readFileSync(path.join(tree.root, 'outbox', done.value.file), 'utf8');
}

/** Unfolds the header lines and keys them by lower-case name. */
function headersOf(message: string): ReadonlyMap<string, string> {
  const [head = ''] = message.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}

/** Decodes encoded words (RFC 2047, Q and B). */
function decoded(value = ''): string {
  const bytesOf = (kind: string, text: string): Buffer =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64')
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
          'latin1',
        );
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/(?:=\?utf-8\?[qb]\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi)].map((word) =>
          bytesOf(word[1] ?? '', word[2] ?? ''),
        ),
      ).toString(),
    );
}

describe('the outbox', () => {
  it('[MAIL-message] writes one message with the headers a mail program needs', async () => {
    const message = await put();
    const headers = headersOf(message);
    expect(Object.fromEntries(headers)).toMatchObject({
      from: 'Ada Lovelace <outbox@patina.invalid>',
      to: 'Q1 pilot list:;',
      subject: 'Your first quarter',
      date: 'Fri, 02 Jan 2026 03:04:05 +0000',
      'message-id': expect.stringMatching(/^<[^<>@\s]+@patina\.invalid>$/) as string,
      'mime-version': '1.0',
      'content-type': 'text/plain; charset=utf-8',
      'x-unsent': '1',
      'x-patina-template': 'TPL-123',
      'x-patina-mailer-list': 'LIST-9',
    });
    expect(message.endsWith('\r\n\r\nHello,\r\n\r\nthis is a message.\r\n')).toBe(true);
    expect(readdirSync(path.join(tree.root, 'outbox'))).toEqual(['20260102T030405678Z-LIST-9.eml']);
  });

  it('[MAIL-encoding] encodes non-ASCII names and texts, folds long lines, and ends every line in CRLF', async () => {
    const subject = `Größe für ${'Zürich und Łódź '.repeat(12)}`.trim();
    const list = { id: 'LIST-9', displayName: 'Erste Gruppe – Köln' };
    const message = await put({ subject, list, text: `Grüße 🥊\n${'long '.repeat(400)}\n.\n` });
    const headers = headersOf(message);
    expect(decoded(headers.get('subject'))).toBe(subject);
    expect(decoded(headers.get('to'))).toBe('Erste Gruppe – Köln:;');
    expect(message).toMatch(/^[\x20-\x7E\r\n\t]*$/);
    expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(Math.max(...message.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
    expect(headers.get('content-transfer-encoding')).toBe('quoted-printable');
  });

  it('[MAIL-injection] lets no name, subject or text add a header or end the header early', async () => {
    const evil = 'x\r\nBcc: evil@example.com\r\n\r\n<script>';
    const message = await put({
      senderName: evil,
      subject: evil,
      list: { id: evil, displayName: `${evil}":; Cc: y@example.com` },
      template: { id: evil, displayName: evil },
    });
    expect([...headersOf(message).keys()].sort()).toEqual([...headersOf(await put()).keys()].sort());
  });

  it('[MAIL-injection] is safe for any text', async () => {
    const names = [...headersOf(await put()).keys()].sort();
    const any = fc.string({
      unit: fc.constantFrom(
        'a',
        '"',
        '\\',
        ',',
        ':',
        ';',
        '<',
        '>',
        '\r',
        '\n',
        '\0',
        '\u2028',
        'é',
        '=?',
        '?=',
        ' ',
        '🥊',
      ),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(any, any, async (one, two) => {
        const message = await put({
          senderName: one,
          subject: two,
          list: { id: two || 'x', displayName: one },
        });
        const added = [...headersOf(message).keys()].filter((name) => !names.includes(name));
        expect(added).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('[MAIL-unique] writes two concurrent messages as two files, and overwrites nothing', async () => {
    const [one, two, three] = await Promise.all([
      put(),
      put(),
      put({ list: { id: '../../LIST 9', displayName: 'x' } }),
    ]);
    expect(new Set([one, two, three]).size).toBe(3);
    expect(readdirSync(path.join(tree.root, 'outbox')).sort()).toEqual([
      '20260102T030405678Z-LIST-9-2.eml',
      '20260102T030405678Z-LIST-9.eml',
      '20260102T030405678Z-_LIST_9.eml',
    ]);
  });

  it('[MAIL-message] reports an outbox that cannot be written, and leaves no file', async () => {
    writeFileSync(path.join(tree.root, 'outbox'), 'in the way');
    expect(await outbox().put(mail)).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
  });
});
