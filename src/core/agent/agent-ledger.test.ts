import { describe, expect, it } from 'vitest';
import { ledgerOf } from '#shared/ledger';
import { turnAt } from '#shared/session-state';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { boxTools, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { sampleModel, sessionOf } from '../../testing/sample-session';

const harness = (more: Partial<AgentHarnessOptions> = {}) => {
  const tools = createInMemoryTools(boxTools);
  return { ...createAgentHarness({ tools, ...more }), tools };
};
const swallow = (code: string) => `try { ${code} } catch {}`;
const put = (path: string) => `await tools.box.put({ path: '${path}' });`;
const writes = (...code: readonly string[]) =>
  scriptNode('work', `${code.join('\n')} return { summary: 'written', state: { n: 1 } };`);
const outcomesOf = ({ writes: all }: { readonly writes: readonly object[] }) =>
  all.map((write) => ('target' in write && 'outcome' in write ? [write.target, write.outcome] : []));
const says = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
];

describe('the host’s list of writes', () => {
  it('[LED-done] keeps a run whose script swallowed a refusal from being done, and claims no write', async () => {
    const { run, facts } = harness();
    const provided = { plan: planOf([writes(swallow(put('b.txt')))], 'b.txt is written.') };
    const report = await run({ provided, approve: 'none' });
    expect(report.outcome).toBe('partial');
    expect(report.answer).not.toContain('b.txt is written');
    expect(report.answer).toContain('1 write: 1 refused.\n\n- refused (approval): box.put b.txt');
    expect(report.nodes.map(({ id, status, summary }) => [id, status, summary])).toEqual([
      ['approve_work', 'failed', 'Not approved.'],
      ['work', 'done', 'written'],
    ]);
    expect(report.writes).toEqual([
      {
        tool: 'mcp://box.put',
        target: 'b.txt',
        outcome: 'refused',
        undo: 'impossible',
        callId: expect.any(String) as string,
        node: 'work',
        layer: 'approval',
        code: 'POLICY/APPROVAL_DENIED',
      },
    ]);
    expect(facts.find(({ type }) => type === 'write-refused')).toMatchObject({
      nodeId: 'work',
      tool: 'mcp://box.put',
      target: 'b.txt',
      layer: 'approval',
    });
  });

  it('names a refused write once with its step, and not the approval node that announced it', async () => {
    const plan = planOf([writes(put('b.txt'))]);
    const report = await harness().run({ provided: { plan }, approve: 'none', review: 'none' });
    expect(report.answer).toBe(
      'Not everything could be done.\n\n- `work` refused: mcp://box.put was not approved.\n\nSome writes were not made. 1 write: 1 refused.\n\n- refused (approval): box.put b.txt',
    );
    expect(report.nodes.map(({ id }) => id)).toEqual(['approve_work', 'work']);
  });

  it('[LED-done] counts a write that failed and one that an earlier gate layer refused', async () => {
    const failing = createInMemoryTools({
      ...boxTools,
      'mcp://box.put': { ...boxTools['mcp://box.fail'], readOnly: false } as never,
    });
    const provided = { plan: planOf([writes(swallow(put('a')))]) };
    const failed = await createAgentHarness({ tools: failing }).run({ provided, approve: 'all' });
    expect(failed.outcome).toBe('partial');
    expect(failed.writes).toMatchObject([{ target: 'a', outcome: 'failed', code: 'TOOL/FAILED' }]);
    const denied = harness({ capabilities: { allow: ['mcp://*'], deny: ['mcp://box.put'] } });
    const report = await denied.run({ provided, approve: 'all' });
    expect(report.outcome).toBe('partial');
    expect(report.writes).toMatchObject([{ outcome: 'refused', layer: 'capability' }]);
  });

  it('[LED-done] has no open entry once a later call made the write', async () => {
    const { run, agent, seen } = harness();
    const done = seen('run-ended');
    const answer = (approved: boolean) =>
      seen('approval-requested').then(({ approvalId, hash }) => {
        agent.answer([{ approvalId, hash, approved }]);
      });
    const first = answer(false);
    const running = run({
      provided: { plan: planOf([writes(swallow(put('b')), put('b'))]) },
      approve: 'ask',
    });
    await first;
    await answer(true);
    await done;
    const report = await running;
    expect(report.outcome).toBe('done');
    expect(report.writes).toMatchObject([{ outcome: 'refused', superseded: true }, { outcome: 'made' }]);
    expect(report.answer).toBe('Done.');
    expect(report.nodes[0]).toMatchObject({ status: 'done', summary: '1 of 2 writes was refused.' });
  });

  it('[LED-done] [LED-superseded] keeps a refusal open after another call to the same target', async () => {
    const { run, agent, seen } = harness();
    const post = (text: string) => `await tools.box.put({ path: 'channel', value: '${text}' });`;
    const provided = { plan: planOf([writes(swallow(post('a')), post('b'))], 'Both posts are sent.') };
    const answer = (approved: boolean) =>
      seen('approval-requested').then(({ approvalId, hash }) => {
        agent.answer([{ approvalId, hash, approved }]);
      });
    const first = answer(false);
    const running = run({ provided, approve: 'ask' });
    await first;
    await answer(true);
    const report = await running;
    expect(report.outcome).toBe('partial');
    expect(report.answer).not.toContain('Both posts are sent');
    expect(report.writes).toMatchObject([
      { target: 'channel', outcome: 'refused' },
      { target: 'channel', outcome: 'made' },
    ]);
    expect(report.writes.some((write) => 'superseded' in write || 'hash' in write)).toBe(false);
  });

  it('[LED-answer] [STG-failed-write] is shown under the answer after a failure, a refusal and a stop', async () => {
    const broken = writes(put('b.txt'), "throw new Error('then it broke');");
    const failed = await harness().run({ provided: { plan: planOf([broken]) }, approve: 'all' });
    expect(failed).toMatchObject({
      outcome: 'partial',
      error: { message: expect.stringContaining('it broke') as string },
    });
    expect(failed.answer).toMatch(/1 write: 1 made\.\n\n- made: box\.put b\.txt$/);
    expect(failed.answer.slice(failed.writesFrom)).toMatch(/^1 write: 1 made/);
    const { run, stop, seen } = harness();
    const hangs = writes(put('b.txt'), 'await tools.box.hang({});');
    const wrote = seen('tool-called');
    const running = run({ provided: { plan: planOf([hangs]) }, approve: 'all' });
    await wrote;
    stop.abort();
    const cancelled = await running;
    expect(cancelled.outcome).toBe('cancelled');
    expect(cancelled.answer).toContain('- made: box.put b.txt');
    const clean = await harness().run({ provided: { plan: planOf([writes(put('b'))]) }, approve: 'all' });
    expect(clean).toMatchObject({ outcome: 'done', answer: 'Done.', writes: [{ outcome: 'made' }] });
    expect(clean.writesFrom).toBeUndefined();
  });

  it('[LED-answer] stands under the steps by their titles, which cannot be markup', async () => {
    const titled = { ...writes(put('b.txt')), title: 'Write `**b**`' };
    const report = await harness().run({ provided: { plan: planOf([titled]) }, approve: 'none' });
    expect(report.answer).toContain('- `Write **b**` refused: ');
  });

  it('[LED-answer] is told to a model that words the answer', async () => {
    const { run, requests } = harness({ replies: [says('One was refused.')] });
    const plan = planOf([writes(put('a'), swallow('await tools.box.put("no object");'))], { llm: true });
    const report = await run({ provided: { plan }, approve: 'all' });
    expect(report).toMatchObject({ outcome: 'partial' });
    expect(report.answer).toMatch(
      /^One was refused\.\n\nSome writes were not made\. 2 writes: 1 made, 1 refused/,
    );
    const asked = requests[0]?.messages.at(-1)?.content;
    expect(asked).toContain('- made: box.put a');
    expect(asked).toContain('- refused (arguments): box.put "no object"');
  });

  it('[LED-fold] is computed from the events alike in main, the window and replay', async () => {
    const { run, facts } = harness();
    const code = [put('a'), swallow('await tools.box.put(1);'), put('c')];
    const report = await run({ provided: { plan: planOf([writes(...code)]) }, approve: 'all' });
    const sent = { type: 'message-sent' as const, turn: 0, text: 'x', runMode: 'agent' as const };
    const state = sessionOf([{ ...sent, model: sampleModel }, ...facts]);
    const folded = turnAt(state, 0)?.run;
    expect(folded && ledgerOf(folded).map(({ target, outcome }) => [target, outcome])).toEqual(
      outcomesOf(report),
    );
    expect(outcomesOf(report)).toEqual([
      ['a', 'made'],
      ['1', 'refused'],
      ['c', 'made'],
    ]);
  });

  it('[LED-done] survives a resume: a refusal in a completed step still counts', async () => {
    const first = harness();
    const plan = planOf([
      writes(swallow('await tools.box.put(1);'), put('a')),
      scriptNode('next', 'throw new Error("no");', { deps: ['work'] }),
    ]);
    expect(await first.run({ provided: { plan }, approve: 'all' })).toMatchObject({ outcome: 'partial' });
    const sent = { type: 'message-sent' as const, turn: 0, text: 'x', runMode: 'agent' as const };
    const prior = turnAt(sessionOf([{ ...sent, model: sampleModel }, ...first.facts]), 0)?.run;
    if (!prior) throw new Error('There is no run.');
    const again = await harness().run({ provided: { prior }, approve: 'all' });
    expect(outcomesOf(again)).toEqual([
      ['1', 'refused'],
      ['a', 'made'],
    ]);
    const rerun = await harness().run({ provided: { prior, from: 'work' }, approve: 'all' });
    expect(rerun.writes[0]).toMatchObject({ outcome: 'refused', superseded: true });
  });
});

describe('a mistake in the answer’s template', () => {
  it('[AGA-slip] is tolerated where only "state" is superfluous', async () => {
    const plan = planOf([writes(put('b'))], '{{work.state.n}} file written.');
    const report = await harness().run({ provided: { plan }, approve: 'all' });
    expect(report).toMatchObject({ outcome: 'done', answer: '1 file written.' });
  });
});

const submit = (reply: object) => [
  {
    type: 'tool-call' as const,
    call: { id: 'c', name: 'submit_plan', argumentsJson: JSON.stringify(reply) },
  },
  { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
];
const code = (keys: string) => `${put('b')} return { summary: 'written', state: { ${keys} } };`;

describe('a mistake in a model’s answer', () => {
  it('[AGA-slip-checked] is returned to the model before anything runs, if the script’s return proves it', async () => {
    const { run, requests } = harness({
      replies: [
        submit({ code: code('n: 1, of: 2'), answer: '{{work.total}} files' }),
        submit({ code: code('n: 1'), answer: '{{work.n}} file' }),
      ],
    });
    const report = await run({ goal: 'Write b', approve: 'all' });
    expect(report).toMatchObject({ outcome: 'done', answer: '1 file' });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)?.content).toContain(
      'The answer refers to {{work.total}}, but the state of "work" has n, of.',
    );
  });

  it('[AGA-slip-checked] [AGA-slip] never keeps the plan from running; a model then writes the answer', async () => {
    const slip = submit({ code: code('n: 1'), answer: '{{work.total}} files' });
    const twice = harness({ replies: [slip, slip, says('One file.')] });
    expect(await twice.run({ goal: 'Write b', approve: 'all' })).toMatchObject({
      outcome: 'done',
      answer: 'One file.',
      writes: [{ outcome: 'made' }],
    });
    const silent = harness({ replies: [slip, says('no plan'), []] });
    const report = await silent.run({ goal: 'Write b', approve: 'all' });
    expect(report.outcome).toBe('done');
    expect(report.answer).toContain('has no "total". These are the results:\n\n- **N**: 1');
  });

  it.each([
    ['state: { n: 1, ...params }', '{{work.total}}'],
    ['state: found', '{{work.total}}'],
    ["state: { ['to' + 'tal']: 1 }", '{{work.total}}'],
    ['state: { n: 1 }', '{{work}}'],
    ['state: { total: 1 }', '{{work.state.total}}'],
  ])('[AGA-slip-checked] is not reported where only running %s can show it', async (state, answer) => {
    const first = submit({ code: `const found = { total: 1 }; return { summary: '', ${state} };`, answer });
    const { run, requests } = harness({ replies: [first, says('x')] });
    await run({ goal: 'Count' });
    expect(requests[1]?.messages.at(-1)?.content ?? '').not.toContain('The answer refers to');
  });
});

describe('the results that a model reads', () => {
  const long = 'x'.repeat(40_000);
  const reads = scriptNode('read', `return { summary: 'read', state: { text: params.long } };`, {
    params: { long },
  });
  const say = { id: 'say', title: 'Say', kind: 'llm', prompt: 'Say it', deps: ['read'] };

  it('[AGL-whole] are complete, for a step and for an answer', async () => {
    const { run, requests } = harness({
      replies: [says('short'), says('The answer.')],
      budgets: { node: { tokens: 16_000 }, run: { tokens: 200_000 } },
    });
    const report = await run({ provided: { plan: planOf([reads, say], { llm: true }) } });
    expect(report).toMatchObject({ outcome: 'done', answer: 'The answer.' });
    expect(requests.map(({ messages }) => messages.at(-1)?.content.includes(long))).toEqual([true, true]);
  });

  it('[AGL-limit] beyond the budget are a typed failure before the model is asked, with size, limit and what to do', async () => {
    const step = harness({ budgets: { node: { tokens: 9_000 }, run: { tokens: 200_000 } } });
    const report = await step.run({ provided: { plan: planOf([reads, say]) } });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'TOKEN_LIMIT', node: 'say' });
    expect(report.error?.message).toMatch(
      /^The input of this step is about 10,\d{3} tokens, and a model step may use 9,000\.$/,
    );
    expect(report.error?.hint).toContain('node.tokens');
    expect(step.requests).toEqual([]);
    const answer = harness({ budgets: { run: { tokens: 9_000 } } });
    const ended = await answer.run({ provided: { plan: planOf([reads], { llm: true }) } });
    expect(ended.error).toMatchObject({ kind: 'BUDGET', code: 'TOKEN_LIMIT' });
    expect(ended.error?.hint).toContain('run.tokens');
    expect(answer.requests).toEqual([]);
  });

  it('[AGL-receipt] do not count as saved when the model should read them but could not', async () => {
    const countTokens = () => Promise.resolve((text: string) => text.length / 4);
    const get = scriptNode(
      'read',
      'await tools.box.get({ n: 1 }); return { summary: "", state: { text: params.long } };',
      {
        params: { long },
      },
    );
    const plan = planOf([get], { llm: true });
    const small = harness({ countTokens, budgets: { run: { tokens: 9_000 } } });
    expect((await small.run({ provided: { plan } })).receipt).toBeUndefined();
    const failing = { ...say, deps: ['read'], budgets: { tokens: 9_000 } };
    const broken = scriptNode('broken', 'throw new Error("It broke.");');
    const step = harness({ countTokens, budgets: { run: { tokens: 90_000 } } });
    // The error of the run is that of another step.
    const ended = await step.run({ provided: { plan: planOf([get, broken, failing], 'Read.') } });
    expect(ended.error).toMatchObject({ node: 'broken' });
    expect(ended.nodes[2]).toMatchObject({ id: 'say', error: { code: 'TOKEN_LIMIT' } });
    expect(ended.receipt).toBeUndefined();
    const enough = harness({ countTokens, replies: [says('Fine.')], budgets: { run: { tokens: 90_000 } } });
    expect((await enough.run({ provided: { plan } })).receipt).toMatchObject({ calls: 1 });
  });
});
