import { createWriteStream, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import type { ReadChat } from '../../../core/ports/chat-files';
import { rawZip } from '../../../testing/raw-zip';
import { readChatFile } from './read-chat-file';

const folder = mkdtempSync(join(tmpdir(), 'patina-chat-files-'));
let count = 0;
const place = (name: string): string => join(folder, `${(count += 1)}-${name}`);

function write(name: string, text: string): string {
  const path = place(name);
  writeFileSync(path, text);
  return path;
}

async function zip(files: Readonly<Record<string, string>>): Promise<string> {
  const path = place('export.zip');
  const archive = new ZipFile();
  for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name);
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(path));
  return path;
}

async function read(path: string) {
  const chats: ReadChat[] = [];
  const result = await readChatFile(path, (chat) => void chats.push(chat));
  return { chats, result };
}

const chat = (id: string) => ({
  uuid: id,
  name: id,
  chat_messages: [{ uuid: '1', sender: 'human', text: 'Hi', content: [] }],
});

describe('[IMPORT-file] reading a file of conversations', () => {
  it('reads plain JSON, with or without a byte order mark', async () => {
    const { chats, result } = await read(write('conversations.json', `\ufeff${JSON.stringify([chat('a')])}`));
    expect(result).toEqual({ ok: true, value: { source: 'claude', skipped: [] } });
    expect(chats).toMatchObject([{ kind: 'chat', turns: 1 }]);
  });

  it('finds the conversations of an archive in every part, with the same ids each time', async () => {
    const path = await zip({
      'user.json': '{}',
      'conversations-000.json': JSON.stringify([chat('a')]),
      'deep/conversations-001.json': JSON.stringify([chat('b')]),
    });
    const first = await read(path);
    const ids = first.chats.map((each) => each.kind === 'chat' && each.id);
    expect(new Set(ids).size).toBe(2);
    expect((await read(path)).chats.map((each) => each.kind === 'chat' && each.id)).toEqual(ids);
  });

  it.each([
    ['text that is not JSON', () => write('a.json', 'hello'), 'INVALID_INPUT'],
    ['JSON of something else', () => write('a.json', '{"a":1}'), 'INVALID_INPUT'],
    ['an archive without conversations', () => zip({ 'a.json': '[]' }), 'INVALID_INPUT'],
    ['an archive that is none', () => write('a.zip', 'PK no'), 'INVALID_INPUT'],
    [
      'a session file of another version',
      () => write('a.json', '{"patina":{"format":"session","version":2}}'),
      'INVALID_INPUT',
    ],
    ['a missing file', () => place('gone.json'), 'NOT_FOUND'],
    ['a folder', () => folder, 'STORAGE'],
  ])('refuses %s with a typed error', async (_name, make, code) => {
    const { chats, result } = await read(await make());
    expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code } });
    expect(chats).toEqual([]);
  });

  it('[ERR-plain-issues] describes an invalid field in plain words', async () => {
    const file = { patina: { format: 'session', version: 1 }, id: 's', events: null };
    expect((await read(write('a.json', JSON.stringify(file)))).result).toMatchObject({
      ok: false,
      error: { problems: [{ field: 'events', reason: 'must be a list, not null' }] },
    });
  });

  it('counts attached contents, which a session file does not contain', async () => {
    const item = { kind: 'file', ref: 'a.ts', hash: 'a'.repeat(64), bytes: 1, tokens: 1 };
    const picture = { ...item, kind: 'image', ref: 'p.png', hash: 'b'.repeat(64), mediaType: 'image/png' };
    const event = { sessionId: 's', at: 1, v: 1, runMode: 'ask', model: { providerId: 'p', model: 'm' } };
    const line = { ...event, type: 'message-sent', text: 'Look' };
    const events = [
      { ...line, seq: 1, turn: 0, items: [item, picture] },
      { ...line, seq: 2, turn: 1, items: [item] },
      { ...line, seq: 3, turn: 2 },
    ];
    const file = { patina: { format: 'session', version: 1 }, id: 's', events };
    const { chats, result } = await read(write('a.json', JSON.stringify(file)));
    expect(chats).toHaveLength(1);
    expect(result).toMatchObject({
      value: {
        skipped: [
          { what: 'attached content', count: 1 },
          { what: 'content of an attached picture', count: 1 },
        ],
      },
    });
  });

  it('says that a session file comes from a newer version', async () => {
    const file = { patina: { format: 'session', version: 2 }, id: 's', events: [{ type: 'new' }] };
    expect((await read(write('a.json', JSON.stringify(file)))).result).toMatchObject({
      error: {
        message: expect.stringContaining('newer version of Patina') as string,
        hint: expect.stringContaining('Update Patina') as string,
      },
    });
  });

  it('names the invalid field of a session file', async () => {
    const file = { patina: { format: 'session', version: 1 }, id: 's', events: [{ type: 'odd' }] };
    const { result } = await read(write('a.json', JSON.stringify(file)));
    expect(result).toMatchObject({
      ok: false,
      error: { problems: [{ field: expect.stringMatching(/^events\.0/) as string }] },
    });
  });
});

describe('[IMPORT-hostile] a hostile archive', () => {
  const name = 'conversations.json';
  const content = JSON.stringify([chat('a')]);
  const damaged = rawZip([{ name, content }]);
  damaged.fill(0xff, 50, 60);

  it.each<[title: string, bytes: Buffer, reason: string]>([
    ['a path out of the archive', rawZip([{ name: `../${name}`, content }]), `relative path: ../${name}`],
    ['an absolute path', rawZip([{ name: `/tmp/${name}`, content }]), `absolute path: /tmp/${name}`],
    ['a path of a drive', rawZip([{ name: `C:/${name}`, content }]), `absolute path: C:/${name}`],
    [
      'a path with control characters',
      rawZip([{ name: '../\u001b[31m\u202e', content }]),
      'path: ../\\u001b[31m\\u202e',
    ],
    ['a very long path', rawZip([{ name: `../${'x'.repeat(60_000)}`, content }]), `${'x'.repeat(100)}…`],
    [
      'a name that a NUL ends',
      rawZip([{ name: `${name}\0.txt`, content }]),
      'contains no conversations.json',
    ],
    ['a link', rawZip([{ name, content: '/etc/passwd', mode: 0o120777 }]), `${name} in `],
    ['a bomb', rawZip([{ name, content, claims: 0xfffffff0 }]), 'has more than 400 MB'],
    ['a bomb that hides its size', rawZip([{ name, content, claims: 9 }]), `is damaged: too many bytes`],
    [
      'a shorter file than it says',
      rawZip([{ name, content, claims: 9_999 }]),
      `is damaged: not enough bytes`,
    ],
    ['bytes that are not packed', damaged, `${name} in `],
    ['the same file twice', rawZip([0, 1].map(() => ({ name, content }))), `two files ${name} in `],
    ['an end that is cut off', rawZip([{ name, content }]).subarray(0, -30), 'truncated'],
    ['a beginning that is cut off', rawZip([{ name, content }]).subarray(20), 'not a readable archive'],
    [
      'one part that is not JSON',
      rawZip([
        { name, content: '[]' },
        { name: 'conversations-1.json', content: '{' },
      ]),
      'conversations-1.json in ',
    ],
  ])('with %s is refused with its path and the reason in one line', async (_title, bytes, reason) => {
    const path = place('hostile.zip');
    writeFileSync(path, bytes);
    const { chats, result } = await read(path);
    expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } });
    const message = result.ok ? '' : result.error.message;
    expect(message).toContain(reason);
    expect(message).toContain(path);
    expect(message.length).toBeLessThan(600);
    expect(message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(chats).toEqual([]);
  });
});
