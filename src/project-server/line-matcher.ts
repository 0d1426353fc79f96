import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/**
 * Finds every non-overlapping, non-empty match in one line; calls `found` with its offset in UTF-16 units
 * from 0.
 */
export type LineMatcher = (line: string, found: (at: number, length: number) => void) => void;

export interface MatcherRequest {
  readonly query: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/**
 * Creates a matcher and reports whether it needs a time limit. TOOL/INVALID_ARGUMENTS for an invalid pattern.
 */
export function createLineMatcher(request: MatcherRequest): Result<{ match: LineMatcher; watched: boolean }> {
  if (!request.regex && request.caseSensitive) return ok({ match: literal(request.query), watched: false });
  const source = request.regex ? request.query : request.query.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const flags = request.caseSensitive ? 'g' : 'gi';
  const pattern = compile(source, `${flags}u`) ?? compile(source, flags);
  if (pattern !== null) return ok({ match: byPattern(pattern), watched: true });
  const message = `query: ${JSON.stringify(request.query)} is not a regular expression.`;
  return err(appError('TOOL', 'INVALID_ARGUMENTS', message));
}

/** Tries Unicode rules first; escapes that only the older syntax allows (`\_`) still work. */
function compile(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

function literal(query: string): LineMatcher {
  return (line, found) => {
    for (let at = line.indexOf(query); at !== -1; at = line.indexOf(query, at + query.length)) {
      found(at, query.length);
    }
  };
}

function byPattern(pattern: RegExp): LineMatcher {
  return (line, found) => {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
      if (match[0] === '') pattern.lastIndex += 1;
      else found(match.index, match[0].length);
      if (pattern.lastIndex > line.length) return;
    }
  };
}
