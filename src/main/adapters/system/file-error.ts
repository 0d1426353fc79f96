/** The system's code of a failed file operation, such as `ENOSPC`; `unknown` for any other error. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** The disk, the user's quota or the largest file of the disk is used up. */
const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export const isDiskFull = (error: unknown): boolean => full.has(codeOf(error));

/** What the user can do about a failed write. */
export const writeHint = (error: unknown, otherwise: string): string =>
  isDiskFull(error) ? 'The disk is full.' : otherwise;
