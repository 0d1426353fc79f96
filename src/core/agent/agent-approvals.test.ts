import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { readProjectFile } from '../../main/adapters/system/read-project-file';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';

const text = (args: JsonObject, name: string): string => (typeof args[name] === 'string' ? args[name] : '');

/** An agent whose `filesystem` server writes to a real folder. */
function harness(more: Partial<AgentHarnessOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'patina-approvals-'));
  const file = join(folder, 'a.md');
  const tools = createInMemoryTools({
    'mcp://filesystem.write_file': {
      bundled: 'filesystem',
      readOnly: false,
      call: (args) => {
        writeFileSync(join(folder, text(args, 'path')), text(args, 'content'));
        return ok('written');
      },
    },
    'mcp://mail.send': { readOnly: false, call: () => ok('sent') },
  });
  const readFile = (path: string, maxBytes: number) => readProjectFile(folder, path, maxBytes);
  const made = createAgentHarness({ tools, readFile, ...more });
  const yes = ({ approvalId, hash }: { approvalId: string; hash: string }) =>
    made.agent.answer([{ approvalId, hash, approved: true }]);
  return { ...made, folder, file, tools, yes };
}

const write = (...contents: readonly string[]) => {
  const calls = contents.map(
    (content) => `await tools.filesystem.write_file({ path: 'a.md', content: '${content}' });`,
  );
  return planOf([scriptNode('write', `${calls.join(' ')} return { summary: 'written' };`)]);
};

describe('the approval of a file write', () => {
  it('[APR-content] covers the content shown: a change before the call asks again', async () => {
    const { run, seen, file, yes, facts } = harness();
    writeFileSync(file, 'old\n');
    const first = seen('approval-requested');
    const done = run({ provided: { plan: write('new') }, approve: 'ask' });
    const card = await first;
    expect(card).toMatchObject({
      undo: 'possible',
      file: { kind: 'text', path: 'a.md', removed: 1, added: 1 },
    });
    writeFileSync(file, 'changed by someone else\n');
    const second = seen('approval-requested');
    expect(yes(card)).toBe(true);
    const again = await second;
    expect(again).toMatchObject({
      again: true,
      file: { hunks: [{ lines: [{ text: 'changed by someone else' }, {}, {}] }] },
    });
    expect(again.hash).not.toBe(card.hash);
    expect(readFileSync(file, 'utf8')).toBe('changed by someone else\n');
    yes(again);
    expect(await done).toMatchObject({ outcome: 'done', writes: [{ outcome: 'made' }] });
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(facts.filter(({ type }) => type === 'write-intended')).toHaveLength(1);
  });

  it.each(['none', 'all'] as const)(
    '[APR-content] [AGX-resume] is void after a later no to the same call, also when the file is as before (%s)',
    async (approve) => {
      const { run, seen, agent, folder, file, yes, facts, tools } = harness();
      writeFileSync(file, 'old\n');
      const first = seen('approval-requested');
      const done = run({ provided: { plan: write('new') }, approve: 'ask' });
      const card = await first;
      writeFileSync(file, 'changed by someone else\n');
      const second = seen('approval-requested');
      yes(card);
      const { approvalId, hash, runId } = await second;
      agent.answer([{ approvalId, hash, approved: false }]);
      const end = facts.findLastIndex(({ type }) => type === 'approval-answered') + 1;
      const prior = runOf([...facts.slice(0, end), { type: 'run-interrupted', turn: 0, runId }]);
      await done;
      writeFileSync(file, 'old\n');
      const readFile = (path: string, maxBytes: number) => readProjectFile(folder, path, maxBytes);
      const again = createAgentHarness({ tools, readFile });
      expect(await again.run({ provided: { prior }, approve })).toMatchObject({ outcome: 'failed' });
      expect(readFileSync(file, 'utf8')).toBe('old\n');
      expect(tools.calls).toEqual([]);
    },
  );

  it.each(['approved', 'unanswered'] as const)(
    '[APR-content] [AGX-resume] covers only the edited arguments of a card that asked again (%s)',
    async (ending) => {
      const { run, seen, agent, folder, file, yes, facts, tools, stop } = harness();
      writeFileSync(file, 'old\n');
      const first = seen('approval-requested');
      const done = run({ provided: { plan: write('new') }, approve: 'ask' });
      const card = await first;
      writeFileSync(file, 'changed by someone else\n');
      const second = seen('approval-requested');
      yes(card);
      const { approvalId, hash, runId } = await second;
      const edit = { approvalId, hash, arguments: { path: 'a.md', content: 'edited' } };
      expect(await agent.edit(edit)).toMatchObject({ ok: true });
      const edited = facts.find((fact) => fact.type === 'approval-edited');
      if (ending === 'approved') yes({ approvalId, hash: edited?.hash ?? '' });
      const killed: SessionFact[] = [...facts, { type: 'run-interrupted', turn: 0, runId }];
      stop.abort();
      await done;
      writeFileSync(file, 'old\n');
      const readFile = (path: string, maxBytes: number) => readProjectFile(folder, path, maxBytes);
      const again = createAgentHarness({ tools, readFile });
      const asked = again.seen('approval-requested');
      const ended = again.run({ provided: { prior: runOf(killed) }, approve: 'ask' });
      expect(await asked).toMatchObject({ arguments: { content: 'new' } });
      again.stop.abort();
      await ended;
      expect(tools.calls.map(({ args }) => args['content'])).not.toContain('new');
    },
  );

  it('[APR-content] asks again when another approved write of the same card changed the file', async () => {
    const { run, seen, agent, facts, file, yes } = harness();
    const plan = planOf([
      scriptNode(
        'write',
        "await Promise.all(['one', 'two'].map((content) => tools.filesystem.write_file({ path: 'a.md', content }))); return { summary: '' };",
      ),
    ]);
    const first = seen('approval-requested');
    const done = run({ provided: { plan }, approve: 'ask' });
    await first;
    const cards = facts.flatMap((fact) => (fact.type === 'approval-requested' ? [fact] : []));
    expect(cards).toHaveLength(2);
    const second = seen('approval-requested');
    agent.answer(cards.map(({ approvalId, hash }) => ({ approvalId, hash, approved: true })));
    const again = await second;
    expect(again).toMatchObject({ again: true, arguments: { content: 'two' }, file: { exists: true } });
    expect(readFileSync(file, 'utf8')).toBe('one');
    yes(again);
    expect(await done).toMatchObject({ outcome: 'done' });
    expect(readFileSync(file, 'utf8')).toBe('two');
  });

  it('[APR-list] lists the calls of a card in the order in which the script makes them', async () => {
    const waiting: (() => void)[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'patina-order-'));
    const { run, seen, agent, facts } = harness({
      // The last file that is asked for is read first.
      readFile: async (path, maxBytes) => {
        await new Promise<void>((resolve) => {
          waiting.unshift(resolve);
          if (waiting.length === 3) for (const next of waiting) next();
          if (waiting.length > 3) resolve();
        });
        return readProjectFile(folder, path, maxBytes);
      },
    });
    const plan = planOf([
      scriptNode(
        'write',
        "await Promise.all(['c', 'a', 'b'].map((path) => tools.filesystem.write_file({ path, content: 'x' }))); return { summary: '' };",
      ),
    ]);
    const first = seen('approval-requested');
    const done = run({ provided: { plan }, approve: 'ask' });
    await first;
    const cards = facts.flatMap((fact) => (fact.type === 'approval-requested' ? [fact] : []));
    expect(cards.map(({ file }) => file?.path)).toEqual(['c', 'a', 'b']);
    agent.answer(cards.map(({ approvalId, hash }) => ({ approvalId, hash, approved: true })));
    expect(await done).toMatchObject({ outcome: 'done' });
  });

  it('[APR-list] lets the ticked calls finish before the script receives the refusal of the others', async () => {
    const { run, seen, agent, facts, folder } = harness();
    const code = `await Promise.all(['a', 'b', 'c'].map((path) => tools.filesystem.write_file({ path, content: 'x' })));
return { summary: 'written' };`;
    const first = seen('approval-requested');
    const done = run({ provided: { plan: planOf([scriptNode('write', code)]) }, approve: 'ask' });
    await first;
    const asked = facts.filter((fact) => fact.type === 'approval-requested');
    agent.answer(asked.map(({ approvalId, hash }, place) => ({ approvalId, hash, approved: place !== 0 })));
    const made = { outcome: 'made' };
    expect(await done).toMatchObject({ outcome: 'partial', writes: [made, made, { outcome: 'refused' }] });
    expect(['a', 'b', 'c'].map((path) => existsSync(join(folder, path)))).toEqual([false, true, true]);
  });

  it('[APR-steps] lists the writes of parallel steps on one card, in the order of the plan', async () => {
    const { run, seen, agent, facts, folder } = harness();
    const step = (id: string, ...paths: readonly string[]) =>
      scriptNode(
        id,
        `await Promise.allSettled(${JSON.stringify(paths)}.map((path) => tools.filesystem.write_file({ path, content: '${id}' }))); return { summary: '' };`,
      );
    const plan = planOf([step('late', 'c.md'), step('two', 'a.md', 'b.md'), step('none')]);
    const first = seen('approval-requested');
    const done = run({ provided: { plan }, approve: 'ask' });
    await first;
    const asked = facts.flatMap((fact) => (fact.type === 'approval-requested' ? [fact] : []));
    expect(asked.map(({ file }) => file?.path)).toEqual(['c.md', 'a.md', 'b.md']);
    expect(new Set(asked.map(({ card }) => card)).size).toBe(1);
    expect(new Set(asked.map(({ nodeId }) => nodeId)).size).toBe(2);
    agent.answer(asked.map(({ approvalId, hash }, at) => ({ approvalId, hash, approved: at !== 1 })));
    expect(await done).toMatchObject({ outcome: 'partial' });
    expect(['a.md', 'b.md', 'c.md'].filter((name) => existsSync(join(folder, name)))).toEqual([
      'b.md',
      'c.md',
    ]);
  });

  it('[APR-content] shows an edited call with its own difference', async () => {
    const { run, seen, agent, file, yes } = harness();
    writeFileSync(file, 'old');
    const first = seen('approval-requested');
    const done = run({ provided: { plan: write('new') }, approve: 'ask' });
    const { approvalId, hash } = await first;
    const changed = seen('approval-edited');
    await agent.edit({ approvalId, hash, arguments: { path: 'b.md', content: 'mine' } });
    const edited = await changed;
    expect(edited).toMatchObject({ undo: 'possible', file: { path: 'b.md', exists: false } });
    yes(edited);
    expect(await done).toMatchObject({ outcome: 'done' });
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('[APR-content] uses a recorded answer after a restart only while the file is as it was shown', async () => {
    const prior = harness();
    writeFileSync(prior.file, 'old');
    const first = prior.seen('approval-requested');
    const plan = write('new');
    const stopped = prior.run({ provided: { plan }, approve: 'ask' });
    const { approvalId, hash } = await first;
    prior.stop.abort();
    await stopped;
    const answered = { type: 'approval-answered' as const, turn: 0, approvalId, hash, approved: true };
    const given = (facts: typeof prior.facts) => {
      const ended = facts.findIndex(({ type }) => type === 'approval-requested');
      const runId = facts.flatMap((fact) => ('runId' in fact ? [fact.runId] : []))[0] ?? '';
      return { prior: runOf([...facts.slice(0, ended + 1), { ...answered, runId }]) };
    };
    const same = harness();
    writeFileSync(same.file, 'old');
    expect(await same.run({ provided: given(prior.facts), approve: 'ask' })).toMatchObject({
      outcome: 'done',
    });
    expect(same.facts.some(({ type }) => type === 'approval-requested')).toBe(false);
    const other = harness();
    writeFileSync(other.file, 'other');
    const asked = other.seen('approval-requested');
    const done = other.run({ provided: given(prior.facts), approve: 'ask' });
    other.yes(await asked);
    expect(await done).toMatchObject({ outcome: 'done' });
  });

  it('[APR-undo] says before the answer that a call of another server cannot be undone', async () => {
    const { run, seen, yes } = harness();
    const first = seen('approval-requested');
    const plan = planOf([scriptNode('mail', "await tools.mail.send({ to: 'a' }); return { summary: '' };")]);
    const done = run({ provided: { plan }, approve: 'ask' });
    const card = await first;
    expect(card).toMatchObject({ undo: 'impossible' });
    yes(card);
    await done;
  });
});

const submit = (value: unknown, id = 'c1') => [
  { type: 'tool-call' as const, call: { id, name: 'submit_plan', argumentsJson: JSON.stringify(value) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const writing = (content: string, answer: string) => ({
  code: `await tools.filesystem.write_file({ path: 'a.md', content: '${content}' }); return { summary: 'ok', state: {} };`,
  answer,
});

describe('a refusal', () => {
  it('[APR-instead] with words goes to the model as the next message and does not count against the run', async () => {
    const replies = [submit(writing('one', 'First.')), submit(writing('two', 'Second.'), 'c2')];
    const { run, seen, agent, requests, file, yes } = harness({ replies });
    const first = seen('approval-requested');
    const done = run({ approve: 'ask' });
    const { approvalId, hash } = await first;
    const second = seen('approval-requested');
    const said = 'Write two instead.';
    agent.answer([{ approvalId, hash, approved: false, said }]);
    yes(await second);
    const report = await done;
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('\\"said\\":[\\"Write two instead.\\"]');
    expect(report).toMatchObject({
      outcome: 'done',
      answer: expect.stringContaining('Second.') as string,
      writes: [{ outcome: 'refused', superseded: true }, { outcome: 'made' }],
    });
    expect(readFileSync(file, 'utf8')).toBe('two');
  });

  it('[APR-instead] with words on the card of an interrupted run goes to the model when the run resumes', async () => {
    const { run, seen, facts, tools, folder } = harness({ replies: [submit(writing('one', 'First.'))] });
    const first = seen('approval-requested');
    void run({ approve: 'ask' });
    const { approvalId, hash, runId } = await first;
    const about = { turn: 0, runId };
    const answer = { approvalId, hash, approved: false, said: 'Write two instead.' };
    const prior = runOf([
      ...facts,
      { type: 'run-interrupted', ...about },
      { type: 'approval-answered', ...about, ...answer },
    ]);
    const readFile = (path: string, maxBytes: number) => readProjectFile(folder, path, maxBytes);
    const replies = [submit(writing('two', 'Second.'), 'c2')];
    const again = createAgentHarness({ tools, readFile, replies });
    const second = again.seen('approval-requested');
    const done = again.run({ provided: { prior }, approve: 'ask' });
    const next = await second;
    again.agent.answer([{ approvalId: next.approvalId, hash: next.hash, approved: true }]);
    const report = await done;
    expect(JSON.stringify(again.requests[0]?.messages.at(-1))).toContain(
      '\\"said\\":[\\"Write two instead.\\"]',
    );
    expect(report).toMatchObject({
      outcome: 'done',
      writes: [{ outcome: 'refused', superseded: true }, { outcome: 'made' }],
    });
    expect(tools.calls.map(({ args }) => args['content'])).toEqual(['two']);
  });

  it('[APR-instead] without words stops planning, even if the stage asked to look at the results', async () => {
    const replies = [
      submit({ ...writing('one', ''), then: 'look' }),
      submit(writing('two', 'Second.'), 'c2'),
    ];
    const { run, seen, agent, requests } = harness({ replies });
    const first = seen('approval-requested');
    const done = run({ approve: 'ask' });
    const { approvalId, hash } = await first;
    agent.answer([{ approvalId, hash, approved: false }]);
    expect(await done).toMatchObject({ writes: [{ outcome: 'refused' }] });
    expect(requests).toHaveLength(1);
  });
});

describe('a plan whose caller names a tool as a write', () => {
  it('[CPR-one-consent] asks on the card of the call, even though the tool only reads', async () => {
    const tools = createInMemoryTools({ 'mcp://desk.look': { call: () => ok('seen') } });
    const { run, seen, agent } = createAgentHarness({ tools });
    const plan = planOf([scriptNode('look', 'await tools.desk.look({}); return { summary: "seen" };')]);
    const asked = seen('approval-requested');
    const done = run({ provided: { plan, writes: ['mcp://desk.look'] }, approve: 'ask' });
    const { approvalId, hash, tool } = await asked;
    expect(tool).toBe('mcp://desk.look');
    agent.answer([{ approvalId, hash, approved: true }]);
    expect(await done).toMatchObject({ outcome: 'done' });
  });
});
