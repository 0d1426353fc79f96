import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text as streamText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { appError, type AppError } from '#shared/app-error';
import { chatSourceOf, createSkipCounter, importChat } from '#shared/chat-import';
import { usePlainIssues } from '#shared/plain-issues';
import { err, ok, type Result } from '#shared/result';
import { SessionFile, sessionFileFormat, type SkippedKind } from '#shared/session-file';
import type { ChatFileSummary, ReadChat } from '../../../core/ports/chat-files';
import { archiveFault, archiveText, faultText } from '../system/archive-fault';

/** Text of one JSON file; a longer one would not fit into one string. */
const maxBytes = 400 * 1024 * 1024;
/** The files of an archive that contain conversations; large exports have several. */
const conversations = /(^|\/)conversations([-_]\d+)?\.json$/i;

const hint = 'Choose a session file of Patina, or the conversations.json or ZIP export of ChatGPT or Claude.';
const invalid = (message: string): AppError => appError('HOST', 'INVALID_INPUT', message, { hint });
const tooLarge = (name: string): AppError =>
  invalid(`${name} has more than ${maxBytes / 1024 / 1024} MB of conversations.`);

function fileError(path: string, error: unknown): AppError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return code === 'ENOENT'
    ? appError('HOST', 'NOT_FOUND', `There is no file ${path}.`)
    : appError('HOST', 'STORAGE', `${path} could not be read (${code}).`);
}

const openZip = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open);

/** The text of one file, and its name for people. */
interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The texts of the archive's conversation files, in order; yauzl ends an entry that is longer than it says. */
async function zipTexts(path: string): Promise<Result<readonly NamedText[]>> {
  const zip = await openZip(path, { lazyEntries: true, autoClose: false });
  try {
    const texts = new Map<string, NamedText>();
    let total = 0;
    for await (const entry of entriesOf(zip)) {
      if (!conversations.test(entry.fileName)) continue;
      const name = `${archiveText(entry.fileName)} in ${path}`;
      if (texts.has(entry.fileName)) return err(invalid(`There are two files ${name}.`));
      total += entry.uncompressedSize;
      if (total > maxBytes) return err(tooLarge(path));
      const text = await entryText(zip, entry, name);
      if (!text.ok) return text;
      texts.set(entry.fileName, { name, text: text.value });
    }
    return texts.size > 0 ? ok([...texts.values()]) : err(invalid(`${path} contains no conversations.json.`));
  } finally {
    zip.close();
  }
}

async function entryText(zip: yauzl.ZipFile, entry: yauzl.Entry, name: string): Promise<Result<string>> {
  try {
    return ok(await streamText(await streamOf(zip, entry)));
  } catch (error) {
    return err(invalid(`${name} is damaged: ${archiveFault(error)}.`));
  }
}

const streamOf = (zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });

/** The entries of an archive, one at a time. */
async function* entriesOf(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  for (;;) {
    const next = new Promise<yauzl.Entry | null>((resolve, reject) => {
      zip.once('entry', resolve);
      zip.once('end', () => resolve(null));
      zip.once('error', reject);
    });
    zip.readEntry();
    const entry = await next;
    for (const event of ['entry', 'end', 'error']) zip.removeAllListeners(event);
    if (!entry) return;
    yield entry;
  }
}

async function textsOf(path: string): Promise<Result<readonly NamedText[]>> {
  try {
    const { size } = await stat(path);
    if (/\.zip$/i.test(path)) return await zipTexts(path);
    return size > maxBytes ? err(tooLarge(path)) : ok([{ name: path, text: await readFile(path, 'utf8') }]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(
      code === undefined
        ? invalid(`${path} is not a readable archive: ${faultText(error)}.`)
        : fileError(path, error),
    );
  }
}

function parse({ name, text }: NamedText): Result<unknown> {
  try {
    return ok(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch (error) {
    return err(invalid(`${name} is not valid JSON: ${faultText(error)}.`));
  }
}

/** The id of an imported session: the same conversation always has the same one. */
function idOf(source: string, key: string, value: unknown): string {
  const identity = key === '' ? JSON.stringify(value) : key;
  return `ses_${createHash('sha256').update(`${source}:${identity}`).digest('hex').slice(0, 32)}`;
}

const isSessionFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'patina');

/** The version of a session file, of any shape; undefined when it states none. */
const versionOf = (value: unknown): unknown =>
  (value as { readonly patina?: { readonly version?: unknown } | null }).patina?.version;

function readSession(path: string, value: unknown): Result<SessionFile> {
  const read = SessionFile.safeParse(value);
  if (read.success) return ok(read.data);
  if (Number(versionOf(value)) > sessionFileFormat.version) {
    const update = { hint: 'Update Patina, then import the file again.' };
    return err(
      appError('HOST', 'INVALID_INPUT', `${path} was exported by a newer version of Patina.`, update),
    );
  }
  const [issue] = read.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  return err(
    appError('HOST', 'INVALID_INPUT', `${path} is not a session file that this version reads.`, {
      problems: [{ file: path, field, rule: 'session-file', reason: issue?.message ?? 'unknown' }],
    }),
  );
}

/** Counts what the lines of a session attached: its file has the names of the contents, not the contents. */
function countAttached({ events }: SessionFile, skip: (what: SkippedKind) => void): void {
  const kinds = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'message-sent') continue;
    for (const { hash, kind } of event.items ?? []) kinds.set(hash, kind);
  }
  for (const kind of kinds.values())
    skip(kind === 'image' ? 'content of an attached picture' : 'attached content');
}

/** Reads a file of conversations and passes each on. Runs in a worker thread; see `ReadChatFile`. */
export async function readChatFile(
  path: string,
  onChat: (chat: ReadChat) => void | Promise<void>,
): Promise<Result<ChatFileSummary>> {
  usePlainIssues();
  const texts = await textsOf(path);
  if (!texts.ok) return texts;
  const { skip, counted } = createSkipCounter();
  let source: ChatFileSummary['source'] | null = null;
  for (const text of texts.value) {
    const parsed = parse(text);
    if (!parsed.ok) return parsed;
    if (isSessionFile(parsed.value)) {
      const file = readSession(path, parsed.value);
      if (!file.ok) return file;
      await onChat({ kind: 'patina', file: file.value });
      countAttached(file.value, skip);
      return ok({ source: 'patina', skipped: counted() });
    }
    const list: readonly unknown[] = Array.isArray(parsed.value) ? parsed.value : [];
    const found = chatSourceOf(list);
    if (!found) continue;
    source = found;
    for (const value of list) {
      const chat = importChat(found, value, skip);
      if (chat) await onChat({ kind: 'chat', ...chat, id: idOf(found, chat.key, value) });
    }
  }
  return source
    ? ok({ source, skipped: counted() })
    : err(invalid(`${path} contains no conversations that Patina can read.`));
}
