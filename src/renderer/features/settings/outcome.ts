import type { AppError } from '#shared/app-error';

/** What came of a test or a save. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

export const failed = ({ message, hint }: AppError): Outcome => ({
  good: false,
  text: [message, hint].filter(Boolean).join(' '),
});

/** The key as a call takes it: left out while nothing is typed. */
export const secretOf = ({ key }: { readonly key: string }) => (key.trim() === '' ? {} : { key: key.trim() });
