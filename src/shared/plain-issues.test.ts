import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { usePlainIssues } from './plain-issues';

beforeAll(usePlainIssues);
afterAll(() => void z.config({ customError: undefined }));

const issue = (schema: z.ZodType, input: unknown): string => {
  const parsed = schema.safeParse(input);
  return parsed.success ? 'valid' : (parsed.error.issues[0]?.message ?? '');
};

it.each<readonly [schema: z.ZodType, input: unknown, words: string]>([
  [z.string(), undefined, 'is missing; it must be a text'],
  [z.string(), 3, 'must be a text, not a number'],
  [z.array(z.string()), {}, 'must be a list, not an object'],
  [z.object({}), null, 'must be an object, not null'],
  [z.int(), 1.5, 'must be a whole number, not 1.5'],
  [z.number(), Number.NaN, 'must be a number, not NaN'],
  [z.boolean(), 'yes', 'must be true or false, not a text'],
  [z.enum(['script', 'llm']), 'node', 'must be one of “script”, “llm”'],
  [z.enum(['script', 'llm']), undefined, 'is missing; it must be one of “script”, “llm”'],
  [z.literal(2), 3, 'must be 2'],
  [z.strictObject({}), { a: 1 }, 'has an unknown field: “a”'],
  [z.strictObject({}), { a: 1, b: 2 }, 'has unknown fields: “a”, “b”'],
  [z.string().min(1), '', 'must not be empty'],
  [z.array(z.number()).max(2), [1, 2, 3], 'must have at most 2 items'],
  [z.string().length(1), 'ab', 'must have exactly 1 character'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().max(9), 10, 'must be at most 9'],
  [z.url(), 'x', 'must be an address such as https://example.com'],
  [z.string().regex(/^a$/u), 'b', 'has the wrong form; it must match /^a$/u'],
  [z.string().startsWith('mcp:'), 'b', 'must begin with “mcp:”'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.union([z.string(), z.number()]), true, 'has none of the forms that are allowed here'],
  [z.string().refine(() => false, 'These are words of its own.'), 'x', 'These are words of its own.'],
])('[ERR-plain-issues] describes what is wrong with %o', (schema, input, words) => {
  expect(issue(schema, input)).toBe(words);
});
