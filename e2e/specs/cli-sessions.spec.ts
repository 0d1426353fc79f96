import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { commandFile, onModel, test } from '../fixtures/command-line';

test('[SES-lease] [CLI-json] a second writer learns who has the session open; Ctrl+C keeps the text so far', async ({
  patina,
  startPatina,
  startModel,
}) => {
  const model = await startModel({ replies: [{ text: ['Kept. ', 'Never comes.'], gated: true }] });
  const env = onModel(model);
  const first = startPatina(['ask', 'Tell me', '--json'], { env });
  const request = await model.chat(0);
  model.release(1);
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const id = session?.id ?? '';
  const second = await patina(['ask', 'Me too', '--session', id, '--json'], { env });
  expect([second.code, second.json()]).toMatchObject([1, { kind: 'HOST', code: 'STATE' }]);
  expect(second.json()['message']).toContain(`the patina command (process ${first.pid})`);
  const looked = await patina(['session', 'show', id, '--json']);
  expect(looked.code).toBe(0);

  first.kill('SIGINT');
  const stopped = await first.over;
  expect([stopped.code, stopped.json()]).toMatchObject([1, { kind: 'HOST', code: 'CANCELLED' }]);
  expect(await request.over).toBe('aborted');
  const kept = await patina(['session', 'show', id]);
  expect(kept.stdout).toContain('Kept.');
  expect(kept.stdout).not.toContain('Never comes');
  expect(model.chats()).toHaveLength(1);
});

test('[AGENT-cancel] [CLI-json] Ctrl+C while a run is planned ends it as cancelled', async ({
  patina,
  startPatina,
  startModel,
}) => {
  const model = await startModel({ replies: [{ fault: { type: 'hang', beforeHeaders: true } }] });
  const planning = startPatina(['agent', 'Count the clouds', '--json'], { env: onModel(model) });
  await model.chat(0);
  planning.kill('SIGINT');
  const report = await planning.over;
  expect([report.code, report.json()]).toMatchObject([1, { outcome: 'cancelled', nodes: [] }]);
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const state = (await patina(['session', 'export', session?.id ?? '', '--format', 'json'])).json();
  expect(state).toMatchObject({ turns: [{ run: { status: 'cancelled' } }] });
});

test('[H54] kill -9 leaves a session that opens, says that it was interrupted, and replays equal', async ({
  patina,
  startPatina,
  startModel,
}) => {
  const model = await startModel({
    replies: [{ text: ['Saved before the end. ', 'Lost.'], gated: true }, { text: 'A new reply.' }],
  });
  const env = onModel(model);
  const killed = startPatina(['ask', 'Tell me'], { env });
  await model.chat(0);
  model.release(1);
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const id = session?.id ?? '';
  await expect
    .poll(async () => (await patina(['session', 'show', id])).stdout)
    .toContain('Saved before the end.');
  killed.kill('SIGKILL');
  await killed.over;
  const next = await patina(['ask', 'Again', '--session', id, '--json'], { env });
  expect([next.code, next.json()]).toMatchObject([0, { text: 'A new reply.' }]);
  const { turns } = (await patina(['session', 'export', id, '--format', 'json'])).json();
  expect(turns).toMatchObject([
    { reply: { status: 'interrupted', text: expect.stringContaining('Saved before the end.') } },
    { reply: { status: 'done', text: 'A new reply.' } },
  ]);
  expect((await patina(['session', 'replay', id, '--json'])).json()).toMatchObject({ equal: true });
});

test('[CLI-json] chat reads one line at a time from a pipe and from a terminal', async ({
  patina,
  home,
  project,
}) => {
  const lines = ['hello', '/nosuch', '/agent', 'find duplicate files in ./docs', '/new', '/ask', 'What now?'];
  const piped = await patina(['chat'], { input: `${lines.join('\n')}\n` });
  expect(piped.code).toBe(0);
  expect(piped.stdout).toContain('docs/a.txt, docs/deep/b.txt');
  expect(piped.stdout.match(/No model is connected/g)?.length).toBeGreaterThanOrEqual(2);
  expect(piped.stderr).toContain('There is no /nosuch');
  const sessions = (await patina(['session', 'list', '--json'])).json() as unknown as { title: string }[];
  expect(sessions.map(({ title }) => title).sort()).toEqual(['What now?', 'hello']);

  // A real terminal: on Linux `script` provides one.
  if (process.platform !== 'linux') return;
  const typed = spawnSync('script', ['-qec', `${process.execPath} ${commandFile} chat`, '/dev/null'], {
    cwd: project,
    env: { ...process.env, PATINA_HOME: join(home, 'second'), PATINA_DISCOVERY: 'off' },
    input: 'hello\n/quit\n',
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(typed.status).toBe(0);
  expect(typed.stdout).toContain('ask>');
  expect(typed.stdout).toContain('No model is connected');
});

test('[SES-delete] [CLI-json] a session is deleted with --yes, and never without a confirmation', async ({
  patina,
}) => {
  expect((await patina(['ask', 'Forget this', '--json'])).code).toBe(0);
  const list = async () =>
    (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const [session] = await list();
  const id = session?.id ?? '';
  const unasked = await patina(['session', 'delete', id, '--json']);
  expect([unasked.code, unasked.json()]).toMatchObject([2, { kind: 'HOST', code: 'INVALID_INPUT' }]);
  expect(await list()).toHaveLength(1);
  const deleted = await patina(['session', 'delete', id, '--yes', '--json']);
  expect([deleted.code, deleted.json()]).toEqual([0, { id, deleted: true }]);
  expect(await list()).toEqual([]);
  const again = await patina(['session', 'delete', id, '--yes', '--json']);
  expect([again.code, again.json()]).toMatchObject([1, { kind: 'HOST', code: 'NOT_FOUND' }]);
});

test('[IMPORT-cli] conversations are counted, imported once, and exported again', async ({
  patina,
  project,
}) => {
  const file = join(project, 'conversations.json');
  const message = (uuid: string, sender: string, text: string) => ({ uuid, sender, text, content: [] });
  const chat = {
    uuid: 'c',
    name: 'Talk',
    chat_messages: [message('1', 'human', 'Hi'), message('2', 'assistant', 'Hey')],
  };
  writeFileSync(file, JSON.stringify([chat]));
  const report = { source: 'claude', sessions: 1, turns: 1, present: 0, skipped: [] };
  expect((await patina(['session', 'import', file, '--dry-run', '--json'])).json()).toEqual(report);
  expect((await patina(['session', 'list', '--json'])).json()).toEqual([]);
  expect((await patina(['session', 'import', file, '--json'])).json()).toEqual(report);
  expect((await patina(['session', 'import', file, '--json'])).json()).toMatchObject({
    sessions: 0,
    present: 1,
  });
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as {
    id: string;
    title: string;
  }[];
  expect(session?.title).toBe('Talk');
  const id = session?.id ?? '';
  expect((await patina(['session', 'replay', id, '--json'])).json()).toMatchObject({
    equal: true,
    damaged: 0,
  });
  expect((await patina(['session', 'export', id, '--format', 'html'])).stdout).toContain('Hey');
  const refused = await patina(['session', 'import', join(project, 'none.json'), '--json']);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.json()).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
});
