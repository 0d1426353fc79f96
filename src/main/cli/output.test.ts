import { expect, it } from 'vitest';
import { parseRegistry } from '../adapters/mcp/registry';
import { describeError } from './output';

it('[MCP-import-silent] every problem of a servers file is reported at a terminal, each once', () => {
  const text =
    '{ "mcpServers": { "a": { "command": "x", "envFile": ".env" }, "b": { "command": "x", "args": 1 } } }';
  const read = parseRegistry(text, '/srv/mcp.json');
  const said = read.ok ? '' : describeError(read.error);
  expect(said.match(/\/srv\/mcp\.json: mcpServers\.a\.envFile: names a file of variables/g)).toHaveLength(1);
  expect(said.match(/\/srv\/mcp\.json: mcpServers\.b\.args: /g)).toHaveLength(1);
});
