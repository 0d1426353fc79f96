import { describe, expect, it } from 'vitest';
import { requestsSecret, toElicitation } from './elicitation';

type Form = Parameters<typeof requestsSecret>[0];
const form = (name: string, property: object = {}, message = 'A question'): Form => ({
  message,
  requestedSchema: { type: 'object', properties: { [name]: { type: 'string', ...property } } },
});

type Row = readonly [name: string, property: object, message: string];
const secret: readonly Row[] = [
  ...['password', 'dbPassword', 'api_key', 'accessToken', 'pin', 'cardNumber'].map((name): Row => [
    name,
    {},
    'A question',
  ]),
  ['x', { title: 'Your passphrase' }, 'A question'],
  ['x', { description: 'Enter your PIN here' }, 'A question'],
  ['x', { description: 'The recovery code' }, 'A question'],
  ['x', {}, 'Please type your password'],
];
const harmless: readonly Row[] = [
  ...['name', 'keyboard', 'spinner', 'passenger'].map((name): Row => [name, {}, 'A question']),
  ['x', { description: 'Your favourite number (not your phone number, pin, or the like)' }, 'A question'],
];

describe('the fields of an elicitation form', () => {
  it.each(secret)('[MCP-secret-forms][H47] %s %j %s is a secret', (name, property, message) => {
    expect(requestsSecret(form(name, property, message))).not.toBeNull();
  });

  it.each(harmless)('[MCP-secret-forms] %s %j is not a secret', (name, property, message) => {
    expect(requestsSecret(form(name, property, message))).toBeNull();
  });

  it('[MCP-elicitation] have printable texts of limited length, and only kinds that the protocol allows', () => {
    const properties = {
      a: { type: 'string', title: `A\u001b[31m\u202e${'x'.repeat(5_000)}`, minLength: 2 },
      b: { type: 'integer', default: 3, minimum: 1 },
      c: { type: 'boolean', default: false },
      d: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
      e: { type: 'array', items: { anyOf: [{ const: 'p', title: 'Pea' }] }, default: ['p'] },
    };
    const asked = { message: 'Hello', requestedSchema: { type: 'object', properties, required: ['a'] } };
    const { fields } = toElicitation('s', asked as unknown as Form);
    expect(fields.map(({ kind, required }) => [kind, required])).toEqual([
      ['text', true],
      ['number', false],
      ['yes-no', false],
      ['one-of', false],
      ['some-of', false],
    ]);
    expect(fields[0]?.label).toMatch(/^Ax{1,1999}$/);
    expect(fields[3]).toMatchObject({
      options: [
        { value: 'x', label: 'Ex' },
        { value: 'y', label: 'Why' },
      ],
    });
    expect(fields[4]).toMatchObject({ options: [{ value: 'p', label: 'Pea' }], initial: ['p'] });
  });
});
