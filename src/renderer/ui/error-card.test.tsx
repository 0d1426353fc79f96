import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { ErrorCard } from './error-card';

afterEach(cleanup);

it('[MCP-import-silent] lists the other problems of a file, by field and reason, without duplicates', () => {
  const file = '/home/mcp/registry.json';
  const problems = [
    { file, field: 'mcpServers.a.envFile', rule: 'unsupported', reason: 'names a file of variables' },
    { file, field: 'mcpServers.b.args', rule: 'invalid_type', reason: 'expected array' },
  ];
  const message = `${file}: mcpServers.a.envFile: names a file of variables.`;
  render(<ErrorCard error={appError('CONFIG', 'INVALID', message, { problems })} />);
  expect(screen.getAllByText(/names a file of variables/)).toHaveLength(1);
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'mcpServers.b.args: expected array',
  ]);
});

it('[ERR-each-once] lists a problem that another field has, too', () => {
  const file = '/p/capabilities.json';
  const problems = ['allow', 'deny'].map((field) => ({ file, field, rule: 'r', reason: 'must be a list' }));
  const message = `${file} is not valid: allow: must be a list`;
  render(<ErrorCard error={appError('CONFIG', 'INVALID', message, { problems })} />);
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'deny: must be a list',
  ]);
});
