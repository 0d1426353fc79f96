import type { AppError } from '#shared/app-error';

/** The outcome of a test or a save. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

export const failed = ({ message, hint }: AppError): Outcome => ({
  good: false,
  text: [message, hint].filter(Boolean).join(' '),
});

/** The key as a call expects it: omitted while the field is empty. */
export const secretOf = ({ key }: { readonly key: string }) => (key.trim() === '' ? {} : { key: key.trim() });
