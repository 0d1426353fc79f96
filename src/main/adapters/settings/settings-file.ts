import { readFileSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { escapeControlCharacters } from '#shared/escape-control-characters';
import { basename, dirname, join } from 'node:path';

export type RawSettings = Record<string, unknown>;

/** The state of the settings file: missing, an object of settings, or invalid with the reason. */
export type SettingsFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'good'; readonly text: string; readonly values: RawSettings }
  | { readonly kind: 'bad'; readonly reason: string };

/** Readable only by the user: a project's path is private. */
export const settingsFileMode = 0o600;

/** Settings take a few hundred bytes; nothing Patina writes comes near this size. */
const largestBytes = 1_000_000;
const abandonedMs = 60_000;

const bad = (reason: string): SettingsFile => ({ kind: 'bad', reason });

const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

function parseSettings(text: string): SettingsFile {
  if (text.trim() === '') return bad('it is empty');
  try {
    const values: unknown = JSON.parse(text);
    const isObject = typeof values === 'object' && values !== null && !Array.isArray(values);
    return isObject
      ? { kind: 'good', text, values: { ...values } }
      : bad('it does not contain a settings object');
  } catch (error) {
    return bad(
      `it is not JSON (${error instanceof Error ? escapeControlCharacters(error.message.slice(0, 120)) : 'unreadable'})`,
    );
  }
}

/**
 * Reads the file as the settings package does, but without exceptions. A byte order mark is invalid because
 * the package fails on it.
 */
export function readSettingsFile(path: string): SettingsFile {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return { kind: 'missing' };
    if (!stat.isFile()) return bad('it is not a file');
    if (stat.size > largestBytes) return bad(`it is ${stat.size} bytes long`);
    return parseSettings(readFileSync(path, 'utf8'));
  } catch (error) {
    return bad(`it cannot be read (${systemCode(error)})`);
  }
}

/**
 * Moves the file at `path` to `<path>.corrupt-<time>`; returns the new name, or null when the folder does not
 * allow it.
 */
export function quarantine(path: string, now: number): string | null {
  const target = corruptPath(path, now);
  try {
    renameSync(path, target);
    return target;
  } catch {
    return null;
  }
}

export function corruptPath(path: string, now: number): string {
  return `${path}.corrupt-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
}

/** Removes half-written files of killed writers; younger ones may belong to a live process. */
export function removeAbandonedWrites(path: string, now: number): void {
  try {
    const folder = dirname(path);
    const prefix = `${basename(path)}.tmp-`;
    for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
      const file = join(folder, name);
      if (now - statSync(file).mtimeMs > abandonedMs) unlinkSync(file);
    }
  } catch {
    // A leftover file only takes up space.
  }
}
