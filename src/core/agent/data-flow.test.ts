import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness } from '../../testing/agent-harness';
import { planOf, scriptNode, typesOf } from '../../testing/agent-plans';
import { runOf } from '../../testing/sample-session';
import { createInMemoryTools } from '../../testing/in-memory-tools';

/** The reading, mailing and searching that a thief of data needs, on three servers, all trusted. */
function servers(text: string) {
  return createInMemoryTools({
    'mcp://project.read_text': { trusted: true, bundled: 'project', call: () => ok({ text }) },
    'mcp://web.get': { trusted: true, call: () => ok('found') },
    'mcp://mail.send': { trusted: true, readOnly: false, call: () => ok('sent') },
  });
}
const everywhere = { allow: ['mcp://project.*', 'mcp://web.*', 'mcp://mail.*'] };
const secret = 'KEY=hunter2\n';
const plan = (code: string) => ({ plan: planOf([scriptNode('work', code)]) });
const copies = `const r = await tools.project.read_text({});
  await tools.web.get({ q: 'x+' + r.text });
  return { summary: 'looked', state: {} };`;
const cards = (facts: readonly SessionFact[]) =>
  facts.flatMap((fact) => (fact.type === 'approval-requested' ? [fact] : []));
const webCalls = (tools: ReturnType<typeof servers>) =>
  tools.calls.filter(({ uri }) => uri === 'mcp://web.get').length;

describe('text of one server in the arguments of another', () => {
  it('[FLOW-ask] is refused like a write where nobody can be asked, and the error says how to allow it', async () => {
    const tools = servers(secret);
    const { run } = createAgentHarness({ tools, capabilities: everywhere });
    const report = await run({ provided: plan(copies), approve: 'none' });
    expect(webCalls(tools)).toBe(0);
    expect(report.error).toMatchObject({ code: 'APPROVAL_DENIED', layer: 'approval' });
    expect(report.error?.message).toContain('project files');
    expect(report.error?.hint).toContain('dataFlows');
  });

  it('[FLOW-ask] [APR-sources] waits for the user even though the tool only reads, and the card names both ends', async () => {
    const tools = servers('KEY=hunter2-and-a-longer-one');
    const { run, seen, agent } = createAgentHarness({ tools, capabilities: everywhere });
    const asking = seen('approval-requested');
    const done = run({ provided: plan(copies), approve: 'ask' });
    const asked = await asking;
    expect(asked.flows).toEqual([{ from: 'project files', to: 'web' }]);
    expect(asked.sources).toEqual([{ argument: 'q', tools: ['mcp://project.read_text'] }]);
    expect(webCalls(tools)).toBe(0);
    const { approvalId, hash } = asked;
    expect(agent.answer([{ approvalId, hash, approved: true }])).toBe(true);
    expect((await done).outcome).toBe('done');
    expect(webCalls(tools)).toBe(1);
  });

  it('[APR-sources] edited arguments have no sources', async () => {
    const tools = servers('KEY=hunter2-and-a-longer-one');
    const { run, seen, agent, facts } = createAgentHarness({ tools, capabilities: everywhere });
    const asking = seen('approval-requested');
    const done = run({ provided: plan(copies), approve: 'ask' });
    const { approvalId, hash } = await asking;
    expect(runOf(facts).approvals).toMatchObject([{ sources: [{ argument: 'q' }] }]);
    const editing = seen('approval-edited');
    await agent.edit({ approvalId, hash, arguments: { q: 'harmless' } });
    agent.answer([{ approvalId, hash: (await editing).hash, approved: false }]);
    await done;
    expect(runOf(facts).approvals[0]).not.toHaveProperty('sources');
  });

  it('[FLOW-once] is asked about once for forty calls at the same time', async () => {
    const tools = servers(secret);
    const { run, facts } = createAgentHarness({ tools, capabilities: everywhere });
    const code = `const r = await tools.project.read_text({});
      await Promise.all(Array.from({ length: 40 }, (_, n) => tools.web.get({ q: r.text + n })));
      return { summary: 'looked', state: {} };`;
    expect((await run({ provided: plan(code), approve: 'all' })).outcome).toBe('done');
    expect(cards(facts)).toHaveLength(1);
    expect(webCalls(tools)).toBe(40);
  });

  it('[FLOW-write] is named on the card of a write, without a second card', async () => {
    const tools = servers(secret);
    const { run, facts } = createAgentHarness({ tools, capabilities: everywhere });
    const code = `const r = await tools.project.read_text({});
      await tools.mail.send({ body: r.text });
      return { summary: 'sent', state: {} };`;
    expect((await run({ provided: plan(code), approve: 'all' })).outcome).toBe('done');
    expect(cards(facts).map(({ flows }) => flows)).toEqual([[{ from: 'project files', to: 'mail' }]]);
  });

  it('[FLOW-rule] needs no card where the project or an earlier answer of the session allows it', async () => {
    const flow = { from: 'project files', to: 'web' };
    for (const [capabilities, allowedFlows] of [
      [{ ...everywhere, dataFlows: [flow] }, []],
      [everywhere, [flow]],
    ] as const) {
      const tools = servers(secret);
      const { run, facts } = createAgentHarness({ tools, capabilities });
      expect((await run({ provided: plan(copies), approve: 'none', allowedFlows })).outcome).toBe('done');
      expect(typesOf(facts)).not.toContain('approval-requested');
    }
  });

  it('[FLOW-ask] shows no card in a task that passes nothing on', async () => {
    const tools = servers(secret);
    const { run, facts } = createAgentHarness({ tools, capabilities: everywhere });
    const code = `const r = await tools.project.read_text({});
      await tools.web.get({ q: 'today' });
      return { summary: String(r.text.length), state: {} };`;
    expect((await run({ provided: plan(code), approve: 'none' })).outcome).toBe('done');
    expect(typesOf(facts)).not.toContain('approval-requested');
  });
});

describe('the result of a file write', () => {
  const fileTools = () => {
    const row = {
      trusted: true,
      bundled: 'filesystem',
      readOnly: false,
      call: () => ok('Successfully wrote'),
    };
    return createInMemoryTools({ 'mcp://filesystem.write_file': row, 'mcp://filesystem.edit_file': row });
  };
  const capabilities = { allow: ['mcp://filesystem.*'] };
  const originsAfter = async (first: string) => {
    const { run, facts } = createAgentHarness({ tools: fileTools(), capabilities });
    const code = `await tools.filesystem.${first}({ path: 'a' }); await tools.filesystem.write_file({ path: 'b' });
      return { summary: 'written', state: {} };`;
    await run({ provided: plan(code), approve: 'all' });
    return cards(facts).flatMap(({ tool, arguments: args, origins = [] }) =>
      tool === 'mcp://filesystem.write_file' && JSON.stringify(args).includes('"b"')
        ? [origins.map(({ source }) => source)]
        : [],
    );
  };

  it.each([
    ['write_file', []],
    ['edit_file', ['mcp://filesystem.edit_file']],
  ])('[AGP-write-no-source] after %s leaves the next card with the sources %j', async (first, sources) => {
    expect(await originsAfter(first)).toEqual([sources]);
  });
});
