import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rules of one folder's ignore file and of its parent folders. */
export interface IgnoreRules {
  /** The folder that the patterns are relative to, root-relative with a trailing slash, or `''`. */
  readonly base: string;
  readonly rules: Ignore;
  readonly above: IgnoreRules | null;
}

const MAX_IGNORE_FILE_BYTES = 1_000_000;
const CASELESS = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Whether git ignores this path: the nearest file with a matching rule decides. A folder's path ends in a
 * slash.
 */
export function isIgnored(rules: IgnoreRules | null, relative: string): boolean {
  for (let level = rules; level !== null; level = level.above) {
    const verdict = verdictOf(level.rules, relative.slice(level.base.length));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** A folder that no pattern can match. */
const ELSEWHERE = '\u0001';

/**
 * The package also reports a path as ignored when a parent folder is. The walk enters such a folder only when
 * a nearer file includes it again; then, as in git, only the rules about the name itself count.
 */
function verdictOf(rules: Ignore, relative: string): { ignored: boolean; unignored: boolean } {
  const verdict = rules.test(relative);
  const slash = relative.lastIndexOf('/', relative.length - 2);
  if (!verdict.ignored || slash === -1 || !rules.ignores(relative.slice(0, slash + 1))) return verdict;
  return rules.test(`${ELSEWHERE}${relative.slice(slash)}`);
}

/**
 * Adds a folder's own `.gitignore` (for the root, also `.git/info/exclude` below it) to the rules of its
 * parents.
 */
export async function rulesIn(
  root: string,
  folder: string,
  above: IgnoreRules | null,
): Promise<IgnoreRules | null> {
  const base = folder === '' ? '' : `${folder}/`;
  const repository =
    folder === '' ? await read(path.join(root, '.git', 'info', 'exclude'), base, above) : above;
  return read(path.join(root, folder, '.gitignore'), base, repository);
}

async function read(file: string, base: string, above: IgnoreRules | null): Promise<IgnoreRules | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    // A missing or unreadable ignore file ignores nothing, as in git.
    return above;
  }
  if (text.length > MAX_IGNORE_FILE_BYTES) return above;
  return { base, rules: ignore({ ignorecase: CASELESS }).add(text.replace(/^\uFEFF/, '')), above };
}
