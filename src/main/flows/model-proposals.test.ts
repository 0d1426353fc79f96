import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness;
const start = async (options?: MainHarnessOptions): Promise<MainHarness> =>
  (harness = await startMain(options));
afterEach(() => harness.close());

const ddrMode = 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22';
const reply = (text: string) => ({ text });
interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}
const messagesOf = (index: number) => (harness.model.chats()[index]?.json as unknown as Body).messages;
const systemOf = (index: number): string =>
  messagesOf(index).find(({ role }) => role === 'system')?.content ?? '';

describe('proposals of a model', () => {
  const propose = (name: string, args: unknown) => ({ toolCalls: [{ id: 'c1', name, arguments: args }] });
  const change = { mode: 'ddr_authoring', branch: false, reason: 'You want to write a DDR.' };
  const answerFirst = async (option: string) => {
    const [question] = harness.turn(0).questions ?? [];
    const place = { sessionId: harness.sessionId, turn: 0, questionId: question?.questionId ?? '', option };
    return must(await harness.app.lines.answer(place));
  };

  it('[AGN14-9-only-tool] a mode: nothing changes before the click, and the model gets the answer', async () => {
    await start({ replies: [propose('agent_change_mode', change), reply('Switched.')] });
    const asked = harness.next('question-asked');
    const line = await harness.send('help me write a decision record');
    await asked;
    expect(harness.turn(0).questions?.[0]).toMatchObject({
      asker: 'model',
      detail: 'You want to write a DDR.',
      options: ['Switch this session', 'Switch and start a new session', 'Stay'],
    });
    expect(harness.state().modeId).toBeNull();
    // A line of text is not a click: it is processed as usual and answers nothing.
    await answerFirst('Switch this session');
    await line.done;
    expect(harness.state().modeId).toBe(ddrMode);
    expect(harness.turn(0).reply?.text).toBe('Switched.');
    expect(harness.turn(0).reply?.calls?.[0]).toMatchObject({ tool: 'agent_change_mode', outcome: 'done' });
    expect(JSON.parse(messagesOf(1).at(-1)?.content ?? '')).toEqual({
      success: true,
      mode: 'ddr_authoring',
      branch: false,
      reason: 'You want to write a DDR.',
    });
    expect(systemOf(1)).toContain('Current Mode: ddr_authoring');
    const changed = must(harness.app.log.events(harness.sessionId)).find(
      ({ type }) => type === 'mode-changed',
    );
    expect(changed).toMatchObject({ cause: { toolCallId: expect.any(String) as string } });
  });

  it('[T6-6-6-order] text before a question is recorded before it', async () => {
    const asking = { text: 'I would switch.', ...propose('agent_change_mode', change) };
    await start({ replies: [asking, reply('Switched.')] });
    const asked = harness.next('question-asked');
    const line = await harness.send('help me write a decision record');
    await asked;
    expect(harness.turn(0).questions?.[0]?.place).toEqual({ text: 'I would switch.'.length, calls: 0 });
    await answerFirst('Switch this session');
    await line.done;
    const { reply: answer } = harness.turn(0);
    expect(answer?.calls?.[0]?.textAt).toBe('I would switch.'.length);
    expect(answer?.text).toBe('I would switch.\n\nSwitched.');
  });

  it('[AGN14-9-only-tool] a mode: nothing changes when the user stays', async () => {
    await start({ replies: [propose('agent_change_mode', change), reply('Fine.')] });
    const asked = harness.next('question-asked');
    const line = await harness.send('help me write a decision record');
    await asked;
    await answerFirst('Stay');
    await line.done;
    expect(harness.state().modeId).toBeNull();
    expect(JSON.parse(messagesOf(1).at(-1)?.content ?? '')).toMatchObject({
      success: false,
      mode: 'general',
    });
  });

  it('a mode: a new session continues with the same line in the new mode', async () => {
    await start({
      replies: [propose('agent_change_mode', { ...change, branch: true }), reply('one'), reply('two')],
    });
    const asked = harness.next('question-asked');
    const line = await harness.send('help me write a decision record');
    await asked;
    const { opened } = await answerFirst('Switch and start a new session');
    await line.done;
    expect(harness.state().modeId).toBeNull();
    expect(harness.turn(0).branchedTo).toEqual({ sessionId: opened, mode: 'ddr_authoring' });
    const other = must(harness.app.log.open(opened ?? '')).state;
    expect(other.modeId).toBe(ddrMode);
    expect(other.blocks[0]?.[0]?.text).toBe('help me write a decision record');
  });

  it('[AGN37-10-gated] a command: the same boundary, after a yes on its card; a command’s own tool cannot be called', async () => {
    await start({
      replies: [
        propose('set_active_context', { id: 'TPL-123', entityType: 'email_template', source: {} }),
        propose('agent_run_command', { commandId: 'SetActiveEmailTemplate', id: 'TPL-123' }),
        reply('Done.'),
      ],
    });
    const asked = harness.next('question-asked');
    const line = await harness.send('let us look at the outreach mail');
    await asked;
    expect(harness.state().context).toBeNull();
    await answerFirst('Yes');
    await line.done;
    expect(harness.state().context?.entityHeader?.id).toBe('TPL-123');
    const [refused] = harness.turn(0).reply?.calls ?? [];
    expect(refused).toMatchObject({ outcome: 'failed', error: { layer: 'mode' } });
  });

  it.each([
    [{ mode: 'nope', branch: false, reason: 'x' }, 'Valid modes: general, ddr_authoring, workflow_authoring'],
    [{ mode: 'ddr_authoring', branch: false }, "'reason'"],
    [{ mode: 'ddr_authoring', reason: 'x' }, "'branch'"],
    [{ branch: true, reason: 'x' }, "'mode'"],
  ])('an impossible request is refused with the valid values: %j', async (args, words) => {
    await start({ replies: [propose('agent_change_mode', args), reply('ok')] });
    await harness.say('switch somewhere for me');
    const [call] = harness.turn(0).reply?.calls ?? [];
    expect(call?.error?.message).toContain(words);
    expect(harness.turn(0).questions).toBeUndefined();
    expect(harness.state().modeId).toBeNull();
  });

  it('[CPR-same-mode] a request for the current mode changes nothing, asks nobody and does not fail', async () => {
    const wish = { mode: 'general', branch: true, reason: 'x' };
    await start({ replies: [propose('agent_change_mode', wish), reply('ok')] });
    await harness.say('let us stay general');
    const [call] = harness.turn(0).reply?.calls ?? [];
    expect(call).toMatchObject({ outcome: 'done' });
    const [, told] = harness.model.chats().map(({ json }) => JSON.stringify(json));
    expect(told).toContain('Already in General.');
    expect(harness.turn(0).questions).toBeUndefined();
    expect(harness.state().modeId).toBeNull();
  });

  it('[AGN37-3-llm-reacts] [AGN37-4-only-commands] the text of a reply changes neither mode nor focus', async () => {
    await start({
      replies: [reply('Mode: ddr_authoring. I switched you to DDR Authoring and TPL-123 is active now.')],
    });
    await harness.say('what can you do for me?');
    expect(harness.state()).toMatchObject({ modeId: null, context: null });
  });

  it('[AGN14-6-1-every-call] every model call of a run has the mode’s block', async () => {
    const plan = {
      goal: 'Say it',
      constraints: [],
      nodes: [{ id: 'say', title: 'Say', kind: 'llm', deps: [], prompt: 'Say hello.' }],
      answer: { llm: true },
    };
    await start({ replies: [propose('submit_plan', plan), reply('hello'), reply('Hello it is.')] });
    await harness.say('/mode ddr');
    const turn = await harness.say('greet me in the style of a press release', { runMode: 'agent' });
    expect(turn.run?.status).toBe('done');
    expect(harness.model.chats()).toHaveLength(3);
    for (const index of [0, 1, 2]) expect(systemOf(index)).toContain('Current Mode: ddr_authoring');
  });

  it('[AGN14-6-3-stored-id] an unknown mode Id counts as the default mode, and is kept', async () => {
    await start({ replies: [reply('hi')] });
    const gone = '00000000000000000000000000000000';
    const fact = {
      type: 'mode-changed' as const,
      from: '',
      to: gone,
      cause: { commandId: 'SetMode' },
      reason: 'x',
    };
    must(harness.app.log.append(harness.sessionId, [fact]));
    await harness.say('hello there, who are you?');
    expect(systemOf(0)).toContain('Current Mode: general');
    expect(harness.state().modeId).toBe(gone);
  });

  it('the planning model may call built-in tools before it plans', async () => {
    await start({
      replies: [
        propose('agent_list_modes', {}),
        propose('submit_plan', {
          goal: 'x',
          constraints: [],
          nodes: [{ id: 'say', title: 'Say', kind: 'llm', deps: [], prompt: 'Say hello.' }],
          answer: '{{say.text}}',
        }),
        reply('hello'),
      ],
    });
    const turn = await harness.say('greet me in the style of a press release', { runMode: 'agent' });
    expect(turn.run?.answer).toBe('hello');
    expect(messagesOf(1).at(-1)).toMatchObject({ role: 'tool' });
  });
});
