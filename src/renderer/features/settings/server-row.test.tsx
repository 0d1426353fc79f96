import { ok } from '#shared/result';
import type { ServerView } from '#shared/servers';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

afterEach(cleanup);

const server: ServerView = {
  name: 'shop',
  kind: 'stdio',
  words: ['shop-server'],
  trusted: true,
  state: 'idle',
  detail: 'These tools are from earlier.',
  stderr: '',
  limits: '',
  allowed: true,
  tools: [],
  changes: [],
  signIn: { state: 'none', host: '', missing: [] },
};

it.each([
  ['idle', 'text-muted'],
  ['ready', 'text-copper-text'],
  ['failed', 'text-danger-text'],
] as const)('[MCP-detail-ink] the detail of a server that is %s is %s', async (state, ink) => {
  const servers = [{ ...server, state }];
  const { app } = await openTestWindow(
    {},
    { handlers: { 'server-list': () => ok({ file: '/registry.json', servers }) } },
  );
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'servers' } }));
  expect((await screen.findByText(server.detail)).className).toContain(ink);
});
