import { z } from 'zod';
import type { Json } from '#shared/json';
import type { RegistryInput } from '../../../core/ports/server-registry';
import { serverName } from './registry';

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
export function inputsOf(file: unknown): ReadonlyMap<string, RegistryInput> {
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
export function inputsIn(entry: Json, known: ReadonlyMap<string, RegistryInput>): readonly RegistryInput[] {
  const ids = new Set([...JSON.stringify(entry).matchAll(REFERENCE)].map(([, id = '']) => id));
  return [...ids].map((id) => known.get(id) ?? { id, label: id, secret: true });
}

/** The storage key of a server's input: two servers that request a `token` mean different ones. */
export const inputKey = (server: string, id: string): string => `mcp-${server}-${serverName(id)}`;

/** Rewrites the input references of an entry to their storage keys. */
export function withOwnInputs(entry: Json, server: string): Json {
  if (typeof entry === 'string')
    return entry.replace(REFERENCE, (_whole, id: string) => `\${input:${inputKey(server, id)}}`);
  if (Array.isArray(entry)) return entry.map((item: Json) => withOwnInputs(item, server));
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, withOwnInputs(value, server)]));
}
