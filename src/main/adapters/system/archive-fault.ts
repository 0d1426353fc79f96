import { escapeControlCharacters } from '#shared/escape-control-characters';

/** An archive may have names of 65,535 bytes. */
const maxLength = 300;

/** A text that an archive can choose, as one short line without control characters. */
export function archiveText(text: string): string {
  const line = escapeControlCharacters(text.slice(0, maxLength));
  return text.length > maxLength ? `${line}…` : line;
}

/** The message of an error, which may quote a name in an archive. */
export const faultText = (error: unknown): string =>
  archiveText((error as Error).message).replace(/[.]+$/, '');

/** Why an archive cannot be read. Throws the errors of the file system again, which are not the archive's. */
export function archiveFault(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  // zlib's own codes mean that the bytes are not an archive; any other code is the file system's.
  if (code !== undefined && !code.startsWith('Z_')) throw error;
  return faultText(error);
}
