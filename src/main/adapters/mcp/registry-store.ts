import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync as writeAtomically } from 'atomically';
import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { RegisteredServer, ServerRegistry } from '../../ports/server-registry';
import { readRegistry, readRegistryFile, type RegistryPlaces } from './registry-file';
import { serverName, type Registry, type ServerEntry } from './registry';

function wordsOf(entry: ServerEntry): readonly string[] {
  if (entry.kind === 'bundled') return [entry.bundled];
  if (entry.kind === 'stdio') return [entry.command, ...entry.args];
  return [typeof entry.url === 'string' ? entry.url : ''];
}

function rows(registry: Registry): readonly RegisteredServer[] {
  return [...registry].map(([name, entry]) => {
    const { kind, ...written } = entry;
    return { name, kind, words: wordsOf(entry), trusted: entry.trusted, entry: written as unknown as Json };
  });
}

/** The registry's file as it is written, whatever else stands in it. */
function parse(text: string): { file: JsonObject; key: string; servers: JsonObject } {
  const file = JSON.parse(text.replace(/^\uFEFF/, '')) as JsonObject;
  const key = 'mcpServers' in file ? 'mcpServers' : 'servers';
  return { file, key, servers: file[key] as JsonObject };
}

/** The registry of `PATINA_HOME` (or of `MCP_REGISTRY`): what is added goes into it beside everything that is there. */
export function createServerRegistry(places: RegistryPlaces): ServerRegistry {
  const own = places.override || path.join(places.home, 'mcp', 'registry.json');
  const change = (edit: (servers: JsonObject) => JsonObject): Result<null> => {
    // Only a registry that is valid is changed: what is broken is the user's to mend.
    const valid = readRegistry(places);
    if (!valid.ok) return valid;
    try {
      const { file, key, servers } = parse(currentText(own, places.seed));
      mkdirSync(path.dirname(own), { recursive: true });
      const text = `${JSON.stringify({ ...file, [key]: edit(servers) }, null, 2)}\n`;
      writeAtomically(own, text, { mode: 0o600 });
      return ok(null);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      return err(appError('HOST', 'STORAGE', `${own} could not be written (${code}).`));
    }
  };
  const listed = (registry: Result<Registry>) => (registry.ok ? ok(rows(registry.value)) : registry);
  return {
    file: own,
    servers: () => listed(readRegistry(places)),
    read: (file) => listed(readRegistryFile(file)),
    put: (entries) =>
      change((servers) => {
        const replaced = new Set(Object.keys(entries));
        const kept = Object.entries(servers).filter(([written]) => !replaced.has(serverName(written)));
        return { ...Object.fromEntries(kept), ...entries };
      }),
    remove: (name) =>
      change((servers) =>
        Object.fromEntries(Object.entries(servers).filter(([written]) => serverName(written) !== name)),
      ),
  };
}

function currentText(own: string, seed: string): string {
  try {
    return readFileSync(own, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readFileSync(seed, 'utf8');
  }
}
