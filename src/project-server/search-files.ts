import { ok, type Result } from '#shared/result';
import { reasonOf } from './file-problem';
import { mapYielding } from './map-yielding';
import { isBinary, lineChunks } from './line-chunks';
import type { LineMatcher } from './line-matcher';
import { scanLines, type Hit, type Scan, type SearchText } from './scan-lines';
import { createSmallFileReader } from './small-files';
import type { ToolContext } from './tool';
import type { UnreadableFile } from './walk';

export interface FileSearch {
  readonly files: readonly string[];
  readonly match: LineMatcher;
  /** Whether the matcher needs a time limit. */
  readonly watched: boolean;
  readonly maxHits: number;
  readonly context: number;
}

/** The matches of one file that has any. */
export interface MatchCounts {
  readonly path: string;
  readonly matches: number;
  readonly lines: number;
}

export interface SearchOutcome {
  /** In the order of the files. */
  readonly tallies: readonly MatchCounts[];
  readonly hits: readonly Hit[];
  readonly binary: number;
  readonly failed: readonly UnreadableFile[];
}

/** How much text to collect before a search: enforcing the time limit costs a little for each batch. */
const BATCH_CHARACTERS = 512 * 1024;
/** Time limit for a batch of a few hundred kilobytes; ordinary patterns take a hundredth of it. */
const BATCH_LIMIT_MS = 2_000;

interface Collected {
  readonly tallies: Map<string, { path: string; matches: number; lines: number }>;
  readonly hits: Hit[];
  readonly failed: UnreadableFile[];
  binary: number;
}

interface Work {
  readonly search: FileSearch;
  readonly context: ToolContext;
  readonly collected: Collected;
  readonly waiting: SearchText[];
}

/**
 * Searches the files in order, in bounded memory. TOOL/INVALID_ARGUMENTS for a pattern that exceeds the time
 * limit.
 */
export async function searchFiles(search: FileSearch, context: ToolContext): Promise<Result<SearchOutcome>> {
  const collected: Collected = { tallies: new Map(), hits: [], failed: [], binary: 0 };
  const work: Work = { search, context, collected, waiting: [] };
  const read = createSmallFileReader(context.root);
  let characters = 0;
  let stopped: Result<null> = ok(null);
  await mapYielding(search.files, context.signal, async (path) => {
    if (!stopped.ok) return;
    const file = read(path);
    if (!file.ok) collected.failed.push({ path, reason: file.error.message });
    else if (file.value.kind === 'large') {
      stopped = scanWaiting(work);
      if (stopped.ok) stopped = await searchLarge(path, work);
    } else if (isBinary(file.value.bytes)) collected.binary += 1;
    else {
      work.waiting.push({ path, firstLine: 1, text: file.value.bytes.toString('utf8') });
      characters += file.value.bytes.length;
    }
    if (characters < BATCH_CHARACTERS) return;
    characters = 0;
    if (stopped.ok) stopped = scanWaiting(work);
  });
  if (stopped.ok) stopped = scanWaiting(work);
  if (!stopped.ok) return stopped;
  const { hits, binary, failed } = collected;
  return ok({ tallies: [...collected.tallies.values()], hits, binary, failed });
}

async function searchLarge(path: string, work: Work): Promise<Result<null>> {
  const { context, collected } = work;
  const opened = await context.root.openFile(path);
  if (!opened.ok) {
    collected.failed.push({ path, reason: opened.error.message });
    return ok(null);
  }
  try {
    for await (const chunk of lineChunks(opened.value.handle, context.signal)) {
      if (chunk.first && isBinary(chunk.bytes)) {
        collected.binary += 1;
        return ok(null);
      }
      work.waiting.push({ path, firstLine: chunk.firstLine, text: chunk.bytes.toString('utf8') });
      const done = scanWaiting(work);
      if (!done.ok) return done;
    }
  } catch (error) {
    context.signal.throwIfAborted();
    collected.failed.push({ path, reason: reasonOf(error) });
  } finally {
    await opened.value.handle.close();
  }
  return ok(null);
}

function scanWaiting({ search, context, collected, waiting }: Work): Result<null> {
  const texts = waiting.splice(0);
  const scan = (): Scan[] => {
    let hitsLeft = search.maxHits - collected.hits.length;
    return texts.map((text) => {
      const scanned = scanLines(text, search.match, hitsLeft, search.context);
      hitsLeft -= scanned.hits.length;
      return scanned;
    });
  };
  const scans = search.watched ? context.guard(BATCH_LIMIT_MS, 'The query', scan) : ok(scan());
  if (!scans.ok) return scans;
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
