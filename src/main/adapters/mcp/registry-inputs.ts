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

/** What a file says of the values it asks for, by id; one that is malformed is as if it said nothing. */
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

/** The values an entry asks for, each once; what its file says nothing of may be a secret. */
export function inputsIn(entry: Json, known: ReadonlyMap<string, RegistryInput>): readonly RegistryInput[] {
  const ids = new Set([...JSON.stringify(entry).matchAll(REFERENCE)].map(([, id = '']) => id));
  return [...ids].map((id) => known.get(id) ?? { id, label: id, secret: true });
}

/** The name under which a value that a server asks for is kept: two servers that ask for a `token` mean two. */
export const inputKey = (server: string, id: string): string => `mcp-${server}-${serverName(id)}`;

/** The entry with the values it asks for by the names they are kept under here. */
export function withOwnInputs(entry: Json, server: string): Json {
  if (typeof entry === 'string')
    return entry.replace(REFERENCE, (_whole, id: string) => `\${input:${inputKey(server, id)}}`);
  if (Array.isArray(entry)) return entry.map((item: Json) => withOwnInputs(item, server));
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, withOwnInputs(value, server)]));
}
