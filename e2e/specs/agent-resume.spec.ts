import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';

const submit = (id: string, value: object) => ({
  toolCalls: [{ id, name: 'submit_plan', arguments: value }],
});
const listed = submit('c1', {
  code: "const { files } = await tools.project.list_files({ path: 'docs' }); return { summary: 'listed', state: { n: files.length } };",
  then: 'look',
});
const written = submit('c2', {
  code: "await tools.filesystem.write_file({ path: 'count.txt', content: String(inputs.work.n) }); return { summary: 'written', state: {} };",
  answer: 'Wrote {{work.n}}.',
});
const hanging = { fault: { type: 'hang' as const, beforeHeaders: true } };

const runIdIn = (text: string): string => /run (run_\S+)/.exec(text)?.[1] ?? '';

test('[STG-cli-resume] [STG-spent] patina agent --resume continues a run that was killed between two stages', async ({
  startModel,
  startPatina,
  patina,
  project,
}) => {
  const model = await startModel({ replies: [listed, hanging, written] });
  const env = onModel(model);
  const first = startPatina(['agent', 'Write how many files there are', '--approve', 'all'], { env });
  const asked = await model.chat(1);
  first.kill('SIGKILL');
  const runId = runIdIn((await first.over).stderr);
  const resumed = await patina(['agent', '--resume', runId, '--approve', 'all', '--json'], { env });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.json()).toMatchObject({
    runId,
    outcome: 'done',
    stages: [{ nodes: [{ id: 'work' }] }, { nodes: [{ id: 'approve_work2' }, { id: 'work2' }] }],
    writes: [{ target: 'count.txt', outcome: 'made' }],
    usage: { modelTurns: 2 },
  });
  expect(model.chats()[2]?.text).toBe(asked.text);
  expect(existsSync(join(project, 'count.txt'))).toBe(true);

  const again = await patina(['agent', '--resume', runId, '--json'], { env });
  expect(again.code).toBe(1);
  expect(again.json()).toMatchObject({ kind: 'HOST', code: 'STATE' });
});

test('[STG-cli-resume] an unknown run and a goal beside --resume are refused', async ({ patina }) => {
  const unknown = await patina(['agent', '--resume', 'run_none', '--json']);
  expect(unknown.code).toBe(1);
  expect(unknown.json()).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
  expect((await patina(['agent', 'Do it', '--resume', 'run_none'])).code).toBe(2);
  expect((await patina(['agent'])).code).toBe(2);
});

/** A server whose only write can be suspended, because it reports its process id. */
function addLedger(home: string, project: string) {
  const [lines, pidFile] = [join(project, 'ledger.txt'), join(home, 'ledger.pid')];
  writeFileSync(lines, '');
  const server = resolve('src/testing/mcp-peers/ledger-server.mjs');
  const ledger = { command: process.execPath, args: [server, lines, pidFile], trusted: true };
  mkdirSync(join(home, 'mcp'), { recursive: true });
  mkdirSync(join(project, '.patina'), { recursive: true });
  writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { ledger } }));
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow: ['mcp://ledger.*'] }));
  return { pid: () => Number(readFileSync(pidFile, 'utf8')), written: () => readFileSync(lines, 'utf8') };
}

test('[STG-cli-resume] a write of unknown outcome is named, and the run continues once the user has checked it', async ({
  startModel,
  startPatina,
  patina,
  home,
  project,
}) => {
  const ledger = addLedger(home, project);
  const read = { code: "return { summary: 'read', state: await tools.ledger.read({}) };", then: 'look' };
  const add = {
    code: "await tools.ledger.add({ n: 7 }); return { summary: 'added' };",
    answer: 'Added.',
  };
  const model = await startModel({ replies: [submit('c1', read), { ...submit('c2', add), gated: true }] });
  const env = onModel(model);
  const first = startPatina(['agent', 'Add seven', '--approve', 'all'], { env });
  await model.chat(1);
  process.kill(ledger.pid(), 'SIGSTOP');
  model.release();
  const sessions = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const events = async () => (await patina(['session', 'events', sessions[0]?.id ?? '', '--json'])).stdout;
  await expect.poll(events, { timeout: 30_000 }).toContain('write-intended');
  process.kill(ledger.pid(), 'SIGKILL');
  first.kill('SIGKILL');
  const runId = runIdIn((await first.over).stderr);

  const refused = await patina(['agent', '--resume', runId, '--approve', 'all', '--json'], { env });
  expect(refused.code).toBe(1);
  const { code, hint, message } = refused.json();
  expect(code).toBe('STATE');
  expect(message).toContain('ledger.add');
  const call = /--not-happened (\S+)\./.exec(String(hint))?.[1] ?? '';
  expect(ledger.written()).toBe('');
  const resume = ['agent', '--resume', runId, '--not-happened', call, '--approve', 'all', '--json'];
  const resumed = await patina(resume, { env });
  expect(resumed.json()).toMatchObject({ outcome: 'done', answer: 'Added.' });
  expect(ledger.written()).toBe('7\n');
  expect(model.chats()).toHaveLength(2);
});
