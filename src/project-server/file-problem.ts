import { appError, type AppError } from '#shared/app-error';
import { quoted } from './path-rules';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'not found',
  ENOTDIR: 'not found',
  ELOOP: 'a link that forms a cycle, or that replaced the file while it was read',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ENAMETOOLONG: 'its path is too long for this system',
  EISDIR: 'a folder',
  EMFILE: 'too many open files',
  EBUSY: 'in use by another program',
};

/** Why a file could not be read, in text that is the same on every machine. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? `cannot be read (${code})`;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') throw error;
  return code;
}

/**
 * Converts a file system error to TOOL/NOT_FOUND or TOOL/FAILED; rethrows any other error, because it is a
 * bug.
 */
export function fileError(path: string, error: unknown): AppError {
  const reason = reasonOf(error);
  const missing = reason === REASONS.ENOENT;
  return appError('TOOL', missing ? 'NOT_FOUND' : 'FAILED', `${quoted(path)}: ${reason}.`);
}
