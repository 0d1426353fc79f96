import { readFileSync } from 'node:fs';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import { parseRegistry, readServers, type Registry, type RegistryReading } from './registry';

export interface RegistryPlaces {
  /** `PATINA_HOME`, absolute. */
  readonly home: string;
  /** The file that `MCP_REGISTRY` names, if set. */
  readonly override: string | undefined;
  /** The registry that the app includes, for users without their own. */
  readonly seed: string;
}

const MAX_BYTES = 1_000_000;

/**
 * Reads the registry from disk on every call. A missing file means the seed registry; a file that
 * `MCP_REGISTRY` names must exist (CONFIG/MISSING). An unreadable or invalid file is CONFIG/INVALID and never
 * falls back: a broken policy must not become a different policy.
 */
export function readRegistry(places: RegistryPlaces): Result<Registry> {
  if (places.override !== undefined && places.override !== '') {
    return readFrom(places.override, parseRegistry, () =>
      err(appError('CONFIG', 'MISSING', `MCP_REGISTRY names ${places.override}, which does not exist.`)),
    );
  }
  const own = path.join(places.home, 'mcp', 'registry.json');
  return readFrom(own, parseRegistry, () =>
    readFrom(places.seed, parseRegistry, () =>
      err(appError('CONFIG', 'MISSING', `${places.seed} does not exist.`)),
    ),
  );
}

function readFrom<T>(
  file: string,
  parse: (text: string, file: string) => Result<T>,
  missing: () => Result<T>,
): Result<T> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return code === 'ENOENT' ? missing() : unreadable(file, `cannot be read (${code})`);
  }
  return text.length > MAX_BYTES ? unreadable(file, `is over ${MAX_BYTES} bytes`) : parse(text, file);
}

function unreadable(file: string, reason: string): Result<never> {
  const problems = [{ file, field: '', rule: 'readable', reason }];
  return err(appError('CONFIG', 'INVALID', `${file}: ${reason}.`, { problems }));
}

/** The usable part of another program's registry file; CONFIG/MISSING when the file does not exist. */
export function readRegistryFile(file: string): Result<RegistryReading> {
  return readFrom(file, readServers, () => err(appError('CONFIG', 'MISSING', `${file} does not exist.`)));
}
