import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness;
const start = async (options?: MainHarnessOptions): Promise<MainHarness> =>
  (harness = await startMain(options));
afterEach(() => harness.close());

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: object }[];
}
/** The part of the first recorded call that precedes the conversation. */
function sent() {
  const { messages, tools } = harness.model.chats()[0]?.json as unknown as Sent;
  return { system: messages[0]?.content, tools: tools.map((tool) => tool.function) };
}

const preview = async (runMode: 'ask' | 'agent') => {
  const { blocks, tools } = must(await harness.app.previewPrompt({ sessionId: harness.sessionId, runMode }));
  return {
    system: blocks.map(({ text }) => text).join('\n\n'),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    sources: blocks.map(({ source }) => source),
  };
};

const plan = {
  goal: 'Say it',
  constraints: [],
  nodes: [{ id: 'say', title: 'Say', kind: 'llm', deps: [], prompt: 'Say hello.' }],
  answer: '{{say.text}}',
};

describe('the preview of what the model would be sent', () => {
  it('[PRM-agent-exact] equals the sent bytes for a planning call', async () => {
    const submitted = { toolCalls: [{ id: 'c1', name: 'submit_plan', arguments: plan }] };
    await start({ replies: [submitted, { text: 'hello' }] });
    await harness.say('/template TPL-123');
    const { sources, ...shown } = await preview('agent');
    await harness.say('greet me kindly', { runMode: 'agent' });
    expect(shown).toEqual(sent());
    expect(sources[0]).toBe('planner: rules');
    expect(sources.at(-1)).toBe('planner: tools');
    expect(shown.tools[0]?.name).toBe('submit_plan');
    expect(shown.system).toContain('list_files(');
    // Starts two servers, which takes time on a busy machine.
  }, 60_000);

  it('[PRM-agent-exact] equals the sent bytes for a reply, and has no planner', async () => {
    await start({ replies: [{ text: 'hello' }] });
    const { sources, ...shown } = await preview('ask');
    await harness.say('greet me in the style of a press release');
    expect(shown).toEqual(sent());
    expect(sources.filter((source) => source.startsWith('planner'))).toEqual([]);
  });

  it('[PRM-agent-exact] equals the sent bytes for a model that calls no tools', async () => {
    await start({ replies: [{ text: 'hello' }] });
    const { providerId, model } = await harness.app.chosenModel(harness.sessionId);
    must(harness.app.settings.patch({ modelOptions: { [`${providerId}/${model}`]: { tools: false } } }));
    const { system, tools } = await preview('ask');
    await harness.say('greet me in the style of a press release');
    const [call] = harness.model.chats();
    const { messages, tools: sentTools = [] } = call?.json as unknown as Partial<Sent>;
    expect({ system, tools }).toEqual({ system: messages?.[0]?.content, tools: sentTools });
    expect(tools).toEqual([]);
    expect((await preview('agent')).tools).toEqual([]);
    const offered = async (runMode: 'ask' | 'agent') => {
      const { verdicts = [] } = must(
        await harness.app.previewPrompt({ sessionId: harness.sessionId, runMode }),
      );
      expect(verdicts).toContainEqual(expect.objectContaining({ offered: false, layer: 'model' }));
      return verdicts.flatMap(({ name, offered }) => (offered ? [name] : []));
    };
    expect(await offered('ask')).toEqual([]);
    // The scripts of a plan call the tools of servers.
    const inPlan = await offered('agent');
    expect(inPlan.filter((name) => !name.startsWith('mcp://'))).toEqual([]);
    expect(inPlan.length).toBeGreaterThan(0);
  }, 60_000);

  it('[PRM-agent-exact] is refused for an impossible planning call', async () => {
    await start({ env: { PATINA_AGENT_MODE: 'off' } });
    const refused = await harness.app.previewPrompt({ sessionId: harness.sessionId, runMode: 'agent' });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  });
});
