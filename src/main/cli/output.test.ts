import { expect, it } from 'vitest';
import { parseRegistry } from '../adapters/mcp/registry';
import { joinFindings } from '../../core/agent/check-plan';
import { appError } from '#shared/app-error';
import { describeError } from './output';

it('[ERR-each-once] each finding about a plan is printed once, with its own place and hint', () => {
  const found = joinFindings([
    appError('CODE', 'SYNTAX_ERROR', 'Unexpected token', {
      node: 'a',
      line: 3,
      column: 9,
      hint: 'Close it.',
    }),
    appError('CODE', 'INVALID_PLAN', 'The answer refers to nothing.'),
  ]);
  expect(describeError(found)).toBe(
    'CODE/SYNTAX_ERROR: a: Unexpected token (line 3, column 9) Close it.\nThe answer refers to nothing.',
  );
});

it('[MCP-import-silent] every problem of a servers file is reported at a terminal, each once', () => {
  const text =
    '{ "mcpServers": { "a": { "command": "x", "envFile": ".env" }, "b": { "command": "x", "args": 1 } } }';
  const read = parseRegistry(text, '/srv/mcp.json');
  const said = read.ok ? '' : describeError(read.error);
  expect(said.match(/\/srv\/mcp\.json: mcpServers\.a\.envFile: names a file of variables/g)).toHaveLength(1);
  expect(said.match(/\/srv\/mcp\.json: mcpServers\.b\.args: /g)).toHaveLength(1);
});
