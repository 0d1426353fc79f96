import { appError } from '#shared/app-error';
import { ok } from '#shared/result';
import type { ServerView } from '#shared/servers';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const model = { providerId: 'p', model: 'm' };
const usage = { modelTurns: 1, inputTokens: 1, outputTokens: 1 };
const error = appError('TOOL', 'SIGN_IN', 'Server "search" asks for a sign-in (401).', {
  tool: 'mcp://search.find',
});
const call = { callId: 'c', tool: 'mcp://search.find', argumentsPreview: '{}', ms: 5, bytes: 0 };
const failedCall = { ...call, outcome: 'failed' as const, error };
const server: ServerView = {
  ...{ name: 'search', kind: 'http', words: ['https://mcp.example.org'], trusted: false },
  ...{ state: 'idle', detail: '', stderr: '', allowed: true, limits: '', tools: [], changes: [] },
  signIn: { state: 'none', host: '', missing: [] },
};
const asked: readonly SessionFact[] = [
  { type: 'session-created', title: 'Search', project: null },
  { type: 'message-sent', turn: 0, text: 'Find it', runMode: 'ask', model },
  { type: 'reply-started', turn: 0, model, providerName: 'P' },
  { type: 'host-tool-called', turn: 0, call: failedCall },
  { type: 'reply-extended', turn: 0, text: 'I could not search.' },
  { type: 'reply-ended', turn: 0, outcome: 'done', usage },
];
const run = { turn: 0, runId: 'r' };
const ran: readonly SessionFact[] = [
  { type: 'session-created', title: 'Search', project: '/p' },
  { type: 'message-sent', turn: 0, text: 'Find it', runMode: 'agent', model },
  { type: 'run-started', ...run, goal: 'Find it' },
  { type: 'run-ended', ...run, outcome: 'failed', answer: error.message, usage, error },
];

const open = (facts: readonly SessionFact[], servers = [server]) =>
  openTestWindow(
    { one: facts },
    { handlers: { 'server-list': () => ok({ file: '/registry.json', servers }) } },
  );
const press = (name: string) =>
  act(async () => void fireEvent.click(await screen.findByRole('button', { name })));
beforeEach(pretendLayout);
afterEach(cleanup);

it.each([
  ['Ask', asked],
  ['Agent Mode', ran],
])('[OAUTH-failed-call] a failed call in %s leads to the sign-in of its server', async (_mode, facts) => {
  const { main } = await open(facts);
  await press('Sign in to search');
  const dialog = within(await screen.findByRole('dialog', { name: 'Sign in to search' }));
  await act(async () => void fireEvent.click(dialog.getByRole('button', { name: 'Sign in to search' })));
  expect(dialog.getByText('login.example.org')).toBeDefined();
  expect(main.calls.map(({ name }) => name)).not.toContain('server-sign-in');
  await act(async () => void fireEvent.click(dialog.getByRole('button', { name: 'Open browser' })));
  expect(main.calls.find(({ name }) => name === 'server-sign-in')?.input).toEqual({
    name: 'search',
    host: 'login.example.org',
  });
  expect(dialog.getByRole('status').textContent).toContain('search');
});

it('[OAUTH-failed-call] says when the server was removed, and offers nothing for other failures', async () => {
  await open(ran, []);
  await press('Sign in to search');
  expect(await screen.findByText('The server “search” is not set up any more.')).toBeDefined();
  cleanup();
  const other = appError('TOOL', 'FAILED', 'No.', { tool: 'mcp://search.find' });
  await open(ran.map((fact) => (fact.type === 'run-ended' ? { ...fact, error: other } : fact)));
  expect(screen.queryByRole('button', { name: 'Sign in to search' })).toBeNull();
});
