import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../ports/tool-definition';
import { jsonOfText, scriptResult } from './json-text';

const tool: ToolDefinition = {
  uri: 'mcp://shop.get_order',
  server: 'shop',
  tool: 'get_order',
  serverVersion: '1',
  readOnly: true,
  description: '',
  inputSchema: { type: 'object' },
};

describe('[DCL-json] a text that is JSON', () => {
  it.each<[string, unknown]>([
    ['{"id":"a","n":[1,-2.5,0,12.75]}', { id: 'a', n: [1, -2.5, 0, 12.75] }],
    [' [ "1.0", "-0", {"9007199254740993": true} ]\n', ['1.0', '-0', { '9007199254740993': true }]],
    ['{"text":"a \\" 1.0 \\\\"}', { text: 'a " 1.0 \\' }],
    ['{}', {}],
  ])('%s is parsed', (text, value) => {
    expect(jsonOfText(text)).toEqual(value);
  });

  it.each([
    '{"id":12345678901234567890}',
    '{"balance":1.0}',
    '[-0]',
    '[1e3]',
    '[0.10]',
    '[1e999]',
    '{"a":1,"a":2}',
    '{"a":1} {"b":2}',
    'Found: {"a":1}',
    '{"a":1',
    '"text"',
    '17',
    'true',
    '',
    `${'['.repeat(600)}${']'.repeat(600)}`,
  ])('%s stays a text', (text) => {
    expect(jsonOfText(text)).toBeUndefined();
    expect(scriptResult(tool, text)).toBe(text);
  });

  it('is left to the script if the tool declares a result or belongs to a bundled server', () => {
    const text = '{"a":1}';
    expect(scriptResult(tool, text)).toEqual({ a: 1 });
    expect(scriptResult({ ...tool, outputSchema: { type: 'string' } }, text)).toBe(text);
    expect(scriptResult({ ...tool, bundled: 'filesystem' }, text)).toBe(text);
    expect(scriptResult(undefined, text)).toBe(text);
  });
});
