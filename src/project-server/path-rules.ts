import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** Names that Windows maps to a device in any folder, with or without an extension. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
const MAX_PATH_CHARACTERS = 4_096;

/**
 * Resolves a path against a root without disk access: the root-relative POSIX path, `''` for the root.
 * Accepts an absolute path inside the root. Anything else is TOOL/INVALID_ARGUMENTS.
 */
export function relativeToRoot(
  text: string,
  root: string,
  platform: NodeJS.Platform = process.platform,
): Result<string> {
  const flavour = platform === 'win32' ? path.win32 : path.posix;
  const refused = refusal(text, platform);
  if (refused !== null) return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(text)}: ${refused}.`));
  const relative = flavour.relative(root, flavour.resolve(root, text));
  if (relative === '..' || relative.startsWith(`..${flavour.sep}`) || flavour.isAbsolute(relative)) {
    return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(text)} is outside the project folder.`));
  }
  return ok(flavour.sep === '/' ? relative : relative.split(flavour.sep).join('/'));
}

function refusal(text: string, platform: NodeJS.Platform): string | null {
  if (text.includes('\0')) return 'a path cannot contain a NUL character';
  if (text.length > MAX_PATH_CHARACTERS) return `a path is at most ${MAX_PATH_CHARACTERS} characters`;
  return platform === 'win32' ? windowsRefusal(text) : null;
}

/**
 * Explains which part of a path Windows interprets differently from its text: devices, streams, dropped
 * endings, device namespaces.
 */
function windowsRefusal(text: string): string | null {
  if (/^[\\/]{2}/.test(text)) return 'network and device paths are not read';
  const afterDrive = text.replace(/^[a-z]:(?=[\\/])/i, '');
  if (afterDrive.includes(':')) return 'alternate streams and drive-relative paths are not read';
  for (const part of afterDrive.split(/[\\/]/)) {
    if (WINDOWS_DEVICE.test(part)) return `"${part}" is a device name`;
    if (!/^\.{1,2}$/.test(part) && /[. ]$/.test(part)) return `"${part}" ends in a dot or a space`;
  }
  return null;
}

/** Formats a path for a message: one line, limited length. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
