import type { ImportPreview } from '#shared/servers';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { ServerImport } from './server-import';

afterEach(cleanup);

function open(taken: boolean): void {
  const servers = [{ name: 'shop', words: ['npx', 'shop'], inputs: [], taken }];
  const preview: ImportPreview = { file: '/mcp.json', servers, disabled: [], problems: [], unused: [] };
  const none = () => undefined;
  render(<ServerImport preview={preview} busy={false} onImport={none} onCancel={none} />);
}

it('[MCP-import] the keyboard continues in the card of the file', () => {
  open(false);
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Servers in the file' }));
  expect(screen.getByRole('button', { name: 'Add 1 server' })).toBeTruthy();
});

it('[MCP-import] a file without a new server has nothing to add', () => {
  open(true);
  expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
});
