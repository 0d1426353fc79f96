import { z } from 'zod';

export const Json: z.ZodType<Json> = z.json();
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
export const JsonObject: z.ZodType<JsonObject> = z.record(z.string(), Json);

/**
 * One text for one value: keys in code-unit order, no white space, `undefined` members left out.
 * Hashes of plans, arguments and states are taken over this text, so it must never depend on insertion order.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
