import type { AppError, ErrorCode, ErrorKind } from '#shared/app-error';
import { text } from '../locales/text';

interface ErrorText {
  readonly title: string;
  /** What to do next if the error itself has no hint. */
  readonly next: string;
}

/** Every code of `app-error.ts`; the compiler finds one without a text. */
type ErrorName = { [Kind in ErrorKind]: `${Kind}.${ErrorCode<Kind>}` }[ErrorKind];

/** What happened, for a failure that is stored as `KIND/CODE`. */
export function titleOfCode(stored: string): string {
  const key = `ui.error.${stored.replace('/', '.')}.title` as `ui.error.${ErrorName}.title`;
  const title = text(key);
  return title === key ? text('ui.unknownError.title') : title;
}

/** A failure in plain words: what happened, and what to do next (the error's own hint first). */
export function describeError({ kind, code, hint }: AppError): ErrorText {
  const titleKey = `ui.error.${kind}.${code}.title` as `ui.error.${ErrorName}.title`;
  const title = text(titleKey);
  // A stored error of another version can have a code that this one does not know.
  if (title === titleKey) {
    return { title: text('ui.unknownError.title'), next: hint ?? text('ui.unknownError.next') };
  }
  const nextKey = `ui.error.${kind}.${code}.next` as `ui.error.${ErrorName}.next`;
  return { title, next: hint ?? text(nextKey) };
}
