import path from 'node:path';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFileSync as writeAtomically } from 'atomically';
import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type {
  ForeignRegistry,
  RegisteredServer,
  ServerRegistry,
  RegistryInput,
} from '../../../core/ports/server-registry';
import { readRegistry, readRegistryFile, type RegistryPlaces } from './registry-file';
import { serverName, type Registry, type ServerEntry } from './registry';
import { z } from 'zod';

const Input = z.object({
  id: z.string().min(1),
  description: z.string().optional(),
  password: z.boolean().default(false),
  default: z.string().optional(),
});
const Inputs = z.array(z.unknown()).catch([]);
const File = z.looseObject({
  inputs: Inputs.default([]),
  mcp: z.looseObject({ inputs: Inputs.default([]) }).optional(),
});

const REFERENCE = /\$\{input:([^{}]+)\}/g;

/** The inputs that a file describes, by id; ignores malformed ones. */
function inputsOf(file: unknown): ReadonlyMap<string, RegistryInput> {
  const read = File.safeParse(file);
  if (!read.success) return new Map();
  const rows = [...read.data.inputs, ...(read.data.mcp?.inputs ?? [])].flatMap((row) => {
    const input = Input.safeParse(row);
    return input.success ? [input.data] : [];
  });
  return new Map(
    rows.map(({ id, description, password, default: value }) => [
      id,
      { id, label: description ?? id, secret: password, ...(value !== undefined && { value }) },
    ]),
  );
}

/**
 * The inputs that an entry refers to, each once; an input that its file does not describe may be a secret.
 */
function inputsIn(entry: Json, known: ReadonlyMap<string, RegistryInput>): readonly RegistryInput[] {
  const ids = new Set([...JSON.stringify(entry).matchAll(REFERENCE)].map(([, id = '']) => id));
  return [...ids].map((id) => known.get(id) ?? { id, label: id, secret: true });
}

/** The storage key of a server's input: two servers that request a `token` mean different ones. */
const inputKey = (server: string, id: string): string => `mcp-${server}-${serverName(id)}`;

/** Rewrites the input references of an entry to their storage keys. */
function withOwnInputs(entry: Json, server: string): Json {
  if (typeof entry === 'string')
    return entry.replace(REFERENCE, (_whole, id: string) => `\${input:${inputKey(server, id)}}`);
  if (Array.isArray(entry)) return entry.map((item: Json) => withOwnInputs(item, server));
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, withOwnInputs(value, server)]));
}

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

/** Another program's file; the inputs of each server are stored separately. */
function readForeign(file: string): Result<ForeignRegistry> {
  const read = readRegistryFile(file);
  if (!read.ok) return read;
  const { registry, disabled, problems, unused, file: written } = read.value;
  const known = inputsOf(written);
  const servers = rows(registry).map((row) => ({
    ...row,
    entry: withOwnInputs(row.entry, row.name),
    inputs: inputsIn(row.entry, known).map((input) => ({ ...input, id: inputKey(row.name, input.id) })),
  }));
  return ok({ servers, disabled, problems, unused });
}

/** Parses the registry file as written, including everything else in it. */
function parse(text: string): { file: JsonObject; key: string; servers: JsonObject } {
  const file = JSON.parse(text.replace(/^\uFEFF/, '')) as JsonObject;
  const key = 'mcpServers' in file ? 'mcpServers' : 'servers';
  return { file, key, servers: file[key] as JsonObject };
}

/**
 * The registry of `PATINA_HOME` (or of `MCP_REGISTRY`): adds servers and preserves everything else in the
 * file.
 */
export function createServerRegistry(places: RegistryPlaces): ServerRegistry {
  const own = places.override || path.join(places.home, 'mcp', 'registry.json');
  const change = (edit: (servers: JsonObject) => JsonObject): Result<null> => {
    // Changes only a valid registry: the user must fix a broken one.
    const valid = readRegistry(places);
    if (!valid.ok) return valid;
    const comments = commented(own);
    if (comments) return err(comments);
    try {
      const { file, key, servers } = parse(currentText(own, places.seed));
      mkdirSync(path.dirname(own), { recursive: true, mode: 0o700 });
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
    read: readForeign,
    put: (entries) =>
      change((servers) => {
        const replaced = new Set(Object.keys(entries));
        const others = Object.entries(servers).filter(([written]) => !replaced.has(serverName(written)));
        return { ...Object.fromEntries(others), ...entries };
      }),
    remove: (name) =>
      change((servers) =>
        Object.fromEntries(Object.entries(servers).filter(([written]) => serverName(written) !== name)),
      ),
  };
}

/** Refuses a file with comments, because rewriting it would lose them. */
function commented(own: string): AppError | null {
  if (!existsSync(own)) return null;
  try {
    JSON.parse(readFileSync(own, 'utf8').replace(/^\uFEFF/, ''));
    return null;
  } catch {
    const hint = 'Edit it by hand, or remove its comments and trailing commas first.';
    return appError('HOST', 'STATE', `${own} contains comments, which would be lost.`, { hint });
  }
}

function currentText(own: string, seed: string): string {
  try {
    return readFileSync(own, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readFileSync(seed, 'utf8');
  }
}
