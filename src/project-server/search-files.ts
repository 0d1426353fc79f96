import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { reasonOf } from './file-problem';
import { inParallel } from './in-parallel';
import { isBinary, lineChunks } from './line-chunks';
import type { LineMatcher } from './line-matcher';
import { scanLines, type Hit, type Scan, type SearchText } from './scan-lines';
import type { ToolContext } from './tool';
import type { Unread } from './walk';

export interface FileSearch {
  readonly files: readonly string[];
  readonly match: LineMatcher;
  /** Whether the matcher's time must be watched. */
  readonly watched: boolean;
  readonly keep: number;
  readonly context: number;
}

/** Matches of one file, only where there are any. */
export interface Tally {
  readonly path: string;
  readonly matches: number;
  readonly lines: number;
}

export interface SearchOutcome {
  /** In the order of the files. */
  readonly tallies: readonly Tally[];
  readonly hits: readonly Hit[];
  readonly binary: number;
  readonly failed: readonly Unread[];
}

/** Files read at once, and searched as one batch: watching the time costs a little for each batch. */
const BATCH_FILES = 32;
const READS_AT_ONCE = 8;
/** For one batch of some hundred kilobytes; ordinary patterns take a hundredth of it. */
const BATCH_LIMIT_MS = 2_000;

interface Collected {
  readonly tallies: Map<string, { path: string; matches: number; lines: number }>;
  readonly hits: Hit[];
  readonly failed: Unread[];
  binary: number;
}

type Opening =
  | { readonly kind: 'texts'; readonly texts: readonly SearchText[] }
  | { readonly kind: 'large' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Searches the files in their order, in bounded memory. A pattern that takes too long is TOOL/INVALID_ARGUMENTS. */
export async function searchFiles(search: FileSearch, context: ToolContext): Promise<Result<SearchOutcome>> {
  const collected: Collected = { tallies: new Map(), hits: [], failed: [], binary: 0 };
  for (let at = 0; at < search.files.length; at += BATCH_FILES) {
    const batch = search.files.slice(at, at + BATCH_FILES);
    const opened = await inParallel(batch, READS_AT_ONCE, context.signal, (file) => openSmall(file, context));
    const done = await settleBatch(batch, opened, search, { context, collected });
    if (!done.ok) return done;
  }
  const { hits, binary, failed } = collected;
  return ok({ tallies: [...collected.tallies.values()], hits, binary, failed });
}

interface Work {
  readonly context: ToolContext;
  readonly collected: Collected;
}

/** Takes the batch in order; small files gather until a large one, read alone, comes in between. */
async function settleBatch(
  batch: readonly string[],
  opened: readonly Opening[],
  search: FileSearch,
  work: Work,
): Promise<Result<null>> {
  let waiting: SearchText[] = [];
  for (const [index, opening] of opened.entries()) {
    const path = batch[index] as string;
    if (opening.kind === 'texts') waiting.push(...opening.texts);
    else if (opening.kind === 'binary') work.collected.binary += 1;
    else if (opening.kind === 'failed') work.collected.failed.push({ path, reason: opening.reason });
    else {
      const before = scanAll(waiting, search, work);
      waiting = [];
      const large = before.ok ? await searchLarge(path, search, work) : before;
      if (!large.ok) return large;
    }
  }
  return scanAll(waiting, search, work);
}

/** Gives the whole text of a file that fits one chunk; a larger one is left for later, so a batch stays small. */
async function openSmall(path: string, context: ToolContext): Promise<Opening> {
  const opened = await context.root.openFile(path);
  if (!opened.ok) return { kind: 'failed', reason: opened.error.message };
  const { handle } = opened.value;
  try {
    const texts: SearchText[] = [];
    for await (const chunk of lineChunks(handle, context.signal)) {
      if (texts.length === 0 && isBinary(chunk.bytes)) return { kind: 'binary' };
      if (texts.length > 0 || chunk.cut) return { kind: 'large' };
      texts.push({ path, firstLine: chunk.firstLine, text: chunk.bytes.toString('utf8') });
    }
    return { kind: 'texts', texts };
  } catch (error) {
    context.signal.throwIfAborted();
    return { kind: 'failed', reason: reasonOf(error) };
  } finally {
    await handle.close();
  }
}

async function searchLarge(path: string, search: FileSearch, work: Work): Promise<Result<null>> {
  const opened = await work.context.root.openFile(path);
  if (!opened.ok) {
    work.collected.failed.push({ path, reason: opened.error.message });
    return ok(null);
  }
  try {
    for await (const chunk of lineChunks(opened.value.handle, work.context.signal)) {
      const text = chunk.bytes.toString('utf8');
      const done = scanAll([{ path, firstLine: chunk.firstLine, text }], search, work);
      if (!done.ok) return done;
    }
  } catch (error) {
    work.context.signal.throwIfAborted();
    work.collected.failed.push({ path, reason: reasonOf(error) });
  } finally {
    await opened.value.handle.close();
  }
  return ok(null);
}

function scanAll(texts: readonly SearchText[], search: FileSearch, work: Work): Result<null> {
  const { collected, context } = work;
  const scan = (): Scan[] => {
    let room = search.keep - collected.hits.length;
    return texts.map((text) => {
      const scanned = scanLines(text, search.match, room, search.context);
      room -= scanned.hits.length;
      return scanned;
    });
  };
  const scans = search.watched ? context.guard(BATCH_LIMIT_MS, 'The query', scan) : ok(scan());
  if (!scans.ok) return err(appError('TOOL', 'INVALID_ARGUMENTS', scans.error.message));
  for (const scanned of scans.value) add(collected, scanned);
  return ok(null);
}

function add(collected: Collected, scanned: Scan): void {
  if (scanned.matches === 0) return;
  const { path } = scanned;
  const tally = collected.tallies.get(path) ?? { path, matches: 0, lines: 0 };
  tally.matches += scanned.matches;
  tally.lines += scanned.lines;
  collected.tallies.set(path, tally);
  collected.hits.push(...scanned.hits);
}
