import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness;
const start = async (options?: MainHarnessOptions): Promise<MainHarness> =>
  (harness = await startMain(options));
afterEach(() => harness.close());

const ddrMode = 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22';
const reply = (text: string) => ({ text });
const systemOf = (index: number): string => {
  const body = harness.model.chats()[index]?.json as { messages: { role: string; content: string }[] };
  return body.messages.find(({ role }) => role === 'system')?.content ?? '';
};
const userLines = (index: number): readonly string[] => {
  const body = harness.model.chats()[index]?.json as { messages: { role: string; content: string }[] };
  return body.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
};
const toolNames = (index: number): readonly string[] => {
  const body = harness.model.chats()[index]?.json as { tools?: { function: { name: string } }[] };
  return (body.tools ?? []).map((tool) => tool.function.name);
};

const plan = (value: object) => ({ toolCalls: [{ name: 'submit_plan', arguments: value }] });

const attached = { kind: 'file' as const, ref: 'a.txt', hash: 'a'.repeat(64), bytes: 5, tokens: 2 };

/** Sends a goal whose plan waits for its review. */
async function propose(text: string) {
  const proposed = harness.next('plan-proposed');
  const model = await harness.app.chosenModel();
  const { sessionId } = harness;
  const line = { sessionId, text, runMode: 'agent' as const, review: 'plan' as const, ui: true, model };
  const sent = must(await harness.app.lines.send(line));
  await proposed;
  return sent;
}

/** Runs the plan that waits. */
async function runPlan(): Promise<void> {
  const { runId, proposal } = harness.turn(0).run ?? expect.fail();
  const { stage, planHash } = proposal ?? expect.fail();
  const place = { sessionId: harness.sessionId, runId };
  must(await harness.app.runs.review(place, { stage, planHash }));
}

/** A pack whose only command needs a role. */
function dropGatedPack(home: string): void {
  const root = join(home, 'packs', 'gated');
  const put = (name: string, row: object): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), JSON.stringify(row));
  };
  put('pack.json', { id: 'gated', version: '1' });
  put('catalogs/gated.json', {
    catalogId: 'gated',
    displayName: 'Gated',
    nouns: { one: ['gated thing'], many: ['gated things'] },
    items: [{ header: { id: 'G-1', displayName: 'First gate' } }],
  });
  put('commands/SetGated.json', {
    commandId: 'SetGated',
    displayName: 'Work on a gated thing',
    toolName: 'set_active_context',
    singleParameterName: 'id',
    resolverSource: { catalogId: 'gated' },
    slash: 'gated',
    setsActiveContext: true,
    activeEntityType: 'gated_thing',
    requiredRoles: ['keeper'],
  });
  put('toolboxes/gated.json', {
    toolboxId: 'gated',
    displayName: 'Gated',
    catalogIds: ['gated'],
    commandIds: ['SetGated'],
    activeIn: ['general'],
  });
}

describe('a line before the first session exists', () => {
  const changed = async (line: string) => must(await harness.app.lines.changeApp(line));

  it('[APP-change] changes a setting or asks the window, and leaves every other line alone', async () => {
    const { app } = await start();
    expect(await changed('open settings')).toMatchObject({ windowAction: { actionId: 'settings' } });
    expect(await changed('dark mode')).toMatchObject({ undo: { commandId: 'SetTheme', id: 'system' } });
    expect(app.settings.get().theme).toBe('dark');
    expect(await changed('/run-mode agent')).toMatchObject({ undo: { id: 'ask' } });
    expect(app.settings.get().mode).toBe('agent');
    for (const line of ['hello', 'rename this chat to Plans', 'switch to ddr authoring mode', 'undo'])
      expect(await changed(line), line).toBeNull();
  });
});

describe('flow A: switching the mode', () => {
  it('[AGN37-9-flow-a] takes one command that no model sees; the Id is stored, the Key is shown', async () => {
    await start({ replies: [reply('hi')] });
    const turn = await harness.say('switch to DDR mode');
    expect(turn.route?.action).toEqual({
      type: 'invoke-command',
      commandId: 'SetMode',
      resolvedId: 'ddr_authoring',
    });
    expect(turn.command).toMatchObject({ status: 'done', summary: 'Mode: DDR Authoring' });
    expect(harness.state().modeId).toBe(ddrMode);
    expect(harness.model.chats()).toHaveLength(0);
    expect(harness.state().title).toBe('switch to DDR mode');
    await harness.say('what is a monad?');
    expect(harness.state().title).toBe('what is a monad?');
    expect(systemOf(0)).toContain('Current Mode: ddr_authoring\n\nAvailable Modes:\n- general: ');
    expect(toolNames(0)).toContain('agent_ddr_manager');
    expect(userLines(0)).toEqual(['what is a monad?']);
    const events = must(harness.app.log.events(harness.sessionId));
    expect(events.find(({ type }) => type === 'mode-changed')).toMatchObject({
      from: '3F8E4F377F7A4C189C7F6A8B9F945C11',
      to: ddrMode,
      cause: { commandId: 'SetMode' },
      reason: 'The user chose this mode.',
    });
    expect(must(harness.app.log.replay(harness.sessionId)).equal).toBe(true);
  });
});

describe('flow B: a launcher leads to a picker, and the choice becomes the focus', () => {
  it('[AGN37-9-flow-b] [AGN37-4-related] with its related entities', async () => {
    await start();
    const turn = await harness.say('I want to work on email templates');
    expect(turn.route?.action).toMatchObject({
      type: 'open-picker',
      source: { catalogId: 'email_templates' },
      prefilterText: 'email templates',
    });
    expect(turn.route?.picker).toEqual({ status: 'open' });
    expect(harness.state().context).toBeNull();
    must(await harness.app.lines.choose(harness.sessionId, turn.turn, 'TPL-123'));
    expect(harness.turn(0).command).toMatchObject({ commandId: 'SetActiveEmailTemplate', status: 'done' });
    expect(harness.state().context).toMatchObject({
      entityType: 'email_template',
      entityHeader: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
      relatedEntities: expect.arrayContaining([
        {
          entityType: 'persona',
          header: { id: 'PERS-22', displayName: 'CFO - MidMarket' },
          role: 'audience',
        },
      ]) as unknown,
    });
    const again = await harness.app.lines.choose(harness.sessionId, 0, 'TPL-123');
    expect(again).toMatchObject({ ok: false, error: { code: 'STATE' } });
  });

  it('a picker that is closed for the model sends the line on; one that is just closed does not', async () => {
    await start({ replies: [reply('answer')] });
    await harness.say('I want to work on email templates');
    const closed = must(harness.app.lines.closePicker(harness.sessionId, 0, 'model'));
    await closed.pending;
    expect(harness.turn(0).reply?.text).toBe('answer');
    await harness.say('/templates');
    must(harness.app.lines.closePicker(harness.sessionId, 1, 'nothing'));
    expect(harness.turn(1).route?.picker).toEqual({ status: 'closed' });
    expect(harness.model.chats()).toHaveLength(1);
  });
});

describe('flow C: the focus is sent to the model with the line', () => {
  it('[AGN37-9-flow-c] as data, with the related persona, which can become the focus', async () => {
    await start({ replies: [reply('Dear CFO')] });
    await harness.say('/template TPL-123');
    const turn = await harness.say('rewrite this template for the CFO persona');
    expect(turn.route?.action.type).toBe('continue-with-llm');
    expect(turn.reply?.text).toBe('Dear CFO');
    expect(systemOf(0)).toContain('In focus: "email_template" id "TPL-123" name "Q1 CFO Outreach"');
    expect(systemOf(0)).toContain('"PERS-22"');
    await harness.say('/persona PERS-22');
    expect(harness.state().context).toMatchObject({ entityType: 'persona', entityHeader: { id: 'PERS-22' } });
  });
});

describe('flow D: a side effect is confirmed first', () => {
  it('[AGN37-9-flow-d] a yes runs exactly what was asked; without a focus the missing part is named', async () => {
    await start();
    const bare = await harness.say('send this to the Q1 pilot list');
    expect(bare.route?.action.type).toBe('ask-clarifying-question');
    expect(bare.questions?.[0]?.text).toContain('email template');
    await harness.say('/template TPL-123');
    expect(harness.turn(0).questions?.[0]?.status).toBe('withdrawn');
    const turn = await harness.say('send this to the Q1 pilot list');
    expect(turn.questions?.[0]).toMatchObject({
      text: "Confirm send to 'Q1 pilot list'?",
      options: ['Yes', 'No'],
      detail: expect.stringMatching(/SendTemplateToMailerList with LIST-9\n.*\(TPL-123\)$/) as string,
      status: 'open',
      binding: true,
      commandId: 'SendTemplateToMailerList',
      resolvedId: 'LIST-9',
    });
    expect(turn.command).toBeUndefined();
    const answer = await harness.say('Yes');
    expect(answer.route?.action).toEqual({
      type: 'invoke-command',
      commandId: 'SendTemplateToMailerList',
      resolvedId: 'LIST-9',
    });
    expect(harness.turn(turn.turn).questions?.[0]).toMatchObject({ status: 'answered', answer: 'Yes' });
    expect(answer.command).toMatchObject({ commandId: 'SendTemplateToMailerList', status: 'done' });
    const [mail = ''] = readdirSync(join(harness.home, 'outbox'));
    expect(readFileSync(join(harness.home, 'outbox', mail), 'utf8')).toMatch(/^Subject: /m);
    expect(harness.state().openQuestion).toBeNull();
  });

  it('[AGN37-8-confirm] a no calls no model; another line withdraws the question and is routed as usual', async () => {
    await start({ replies: [reply('well')] });
    await harness.say('/template TPL-123');
    await harness.say('send this to the Q1 pilot list');
    const no = await harness.say('no');
    expect(no.route?.action).toMatchObject({ type: 'continue-with-llm', reasonCode: 'question-declined' });
    expect(no.reply).toBeUndefined();
    expect(harness.model.chats()).toHaveLength(0);
    await harness.say('send this to the Q1 pilot list');
    await harness.say('yes, but explain why first');
    expect(harness.turn(3).questions?.[0]?.status).toBe('withdrawn');
    expect(harness.model.chats()).toHaveLength(1);
    expect(userLines(0)).toEqual(['yes, but explain why first']);
  });

  it('[AGN37-8-confirm] a change of focus voids the question: its card no longer answers', async () => {
    await start();
    await harness.say('/template TPL-123');
    await harness.say('send this to the Q1 pilot list');
    const question = harness.turn(1).questions?.[0];
    await harness.say('/persona PERS-22');
    const place = {
      sessionId: harness.sessionId,
      turn: 1,
      questionId: question?.questionId ?? '',
      option: 'Yes',
    };
    expect(await harness.app.lines.answer(place)).toMatchObject({ ok: false });
    expect(harness.turn(1).command).toBeUndefined();
  });
});

describe('the command boundary', () => {
  it('[AGN37-10-roles] refuses a command whose role the user does not hold, and says which', async () => {
    await start({ prepareHome: dropGatedPack });
    const named = await harness.say('/gated G-1');
    expect(harness.state().context).toBeNull();
    expect(named.route?.action).toEqual({ type: 'continue-with-llm', reasonCode: 'role-required' });
    expect((await harness.say('/nothing G-1')).route?.action).toMatchObject({ reasonCode: 'unknown-slash' });
    harness.app.settings.patch({ roles: ['keeper'] });
    const allowed = await harness.say('/gated G-1');
    expect(allowed.command?.status).toBe('done');
    harness.app.settings.patch({ roles: [] });
    const place = { sessionId: harness.sessionId, turn: allowed.turn, commandId: 'SetGated', id: 'G-1' };
    must(await harness.app.commands.run(place));
    const refused = harness.turn(allowed.turn).command;
    expect(refused).toMatchObject({ status: 'failed', error: { kind: 'POLICY', code: 'ROLE_REQUIRED' } });
    expect(refused?.error?.message).toContain('keeper');
  });

  it('[AGN37-4-one-target] replaces the whole earlier focus with another one', async () => {
    await start();
    await harness.say('/template TPL-123');
    await harness.say('/persona PERS-22');
    expect(harness.state().context).toMatchObject({ entityType: 'persona', entityHeader: { id: 'PERS-22' } });
    expect(JSON.stringify(harness.state().context?.entityHeader)).not.toContain('TPL-123');
    await harness.say('/focus PERS-22');
    expect(harness.state().context).toBeNull();
  });
});

describe('order and record', () => {
  it('[QUE-command] lets a command that changes the session wait until the stage ends, in order', async () => {
    const listed = { code: "return { summary: 'listed', state: { n: 2 } };" };
    await start({ replies: [plan({ ...listed, then: 'look' }), reply('Two.'), reply('In the other mode.')] });
    const place = { sessionId: harness.sessionId };
    const before = harness.state().modeId;
    const goal = await propose('Count them');
    const mode = await harness.send('/mode ddr', { runMode: 'agent', items: [attached] });
    const said = await harness.send('Only the new ones', { runMode: 'agent' });
    const withdrawn = await harness.send('/run-mode ask', { runMode: 'agent' });
    const later = await harness.send('Thanks, what now?');
    const texts = () => harness.state().queue?.lines.map(({ text }) => text);
    expect(texts()).toEqual(['/mode ddr', 'Only the new ones', '/run-mode ask', 'Thanks, what now?']);
    expect([harness.state().modeId, harness.state().turnCount]).toEqual([before, 1]);
    const { conversation } = harness.app;
    const edit = { ...place, lineId: mode.lineId ?? '', text: '/mode general' };
    expect(conversation.editLine(edit)).toMatchObject({ error: { code: 'STATE' } });
    must(conversation.withdrawLine({ ...place, lineId: withdrawn.lineId ?? '' }));
    expect(await withdrawn.done).toBeNull();
    await runPlan();
    expect(await goal.done).toMatchObject({ run: { outcome: 'done', answer: 'Two.' } });
    expect([await mode.done, await said.done]).toEqual([null, null]);
    await later.done;
    expect(harness.state().modeId).toBe(ddrMode);
    const order = ['node-ended', 'mode-changed', 'line-steered', 'run-ended', 'reply-ended'];
    const types = must(harness.app.log.events(harness.sessionId)).map(({ type }) => type);
    expect(types.filter((type) => order.includes(type))).toEqual(order);
    expect([0, 1, 2].map((turn) => harness.turn(turn).text)).toEqual([
      'Count them',
      '/mode ddr',
      'Thanks, what now?',
    ]);
    expect(harness.turn(1).items).toEqual([attached]);
  });

  it('[QUE-command] runs a waiting command after the lines before it when the run has no further stage', async () => {
    const replies = [plan({ code: "return { summary: 'ok' };", answer: 'Done.' }), reply('Fine.')];
    await start({ replies });
    const goal = await propose('Do it');
    const first = await harness.send('A question', { runMode: 'ask' });
    const mode = await harness.send('/mode ddr');
    await runPlan();
    await goal.done;
    await first.done;
    await mode.done;
    expect(harness.state().modeId).toBe(ddrMode);
    expect(harness.state().queue).toBeUndefined();
    expect([1, 2].map((turn) => harness.turn(turn).text)).toEqual(['A question', '/mode ddr']);
  });

  it('[QUE-resume] continues a paused queue after the user’s next line, which is answered first', async () => {
    await start({
      replies: [plan({ code: "return { summary: 'ok' };", answer: 'Done.' }), reply('new'), reply('old')],
    });
    const { conversation, lines } = harness.app;
    const { sessionId } = harness;
    const goal = await propose('Do it');
    const old = await harness.send('The old question');
    must(conversation.stop(sessionId, goal.turn));
    await goal.done;
    expect(harness.state().queue).toMatchObject({ paused: true });
    const model = await harness.app.chosenModel();
    const line = { sessionId, text: 'The new question', runMode: 'ask' as const, ui: true, model };
    await must(await lines.send({ ...line, resumesQueue: true })).done;
    await old.done;
    expect([1, 2].map((turn) => harness.turn(turn).text)).toEqual(['The new question', 'The old question']);
    expect(harness.state().queue).toBeUndefined();
  });

  it('keeps the order of quick lines, and a command between two lines is not part of the conversation', async () => {
    await start({ replies: [reply('one'), reply('two')] });
    const lines = await Promise.all([
      harness.send('first?'),
      harness.send('/mode ddr'),
      harness.send('second?'),
    ]);
    // The third line waits for the reply to the first one.
    expect(lines.map(({ turn, lineId }) => [turn, lineId !== undefined])).toEqual([
      [0, false],
      [1, false],
      [0, true],
    ]);
    await Promise.all(lines.map(({ done }) => done));
    expect([0, 1, 2].map((each) => harness.turn(each).text)).toEqual(['first?', '/mode ddr', 'second?']);
    expect(userLines(1)).toEqual(['first?', 'second?']);
    expect(harness.turn(1).command?.status).toBe('done');
  });

  it('lets a preview change nothing', async () => {
    await start();
    const before = harness.state().seq;
    const place = { state: harness.state(), ui: true };
    expect((await harness.app.lines.preview('switch to DDR mode', place)).action.type).toBe('invoke-command');
    expect(harness.state().seq).toBe(before);
  });

  it('sets another run mode by its slash line, and moves to another session', async () => {
    await start();
    await harness.say('/run-mode agent');
    expect(harness.app.settings.get().mode).toBe('agent');
  });
});

describe('state between two lines', () => {
  it('[AGN37-8-confirm] a card whose focus changed without a line is refused and withdrawn', async () => {
    await start();
    await harness.say('/template TPL-123');
    await harness.say('send this to the Q1 pilot list');
    const { sessionId } = harness;
    must(
      await harness.app.commands.run({ sessionId, turn: 0, commandId: 'SetActivePersona', id: 'PERS-22' }),
    );
    const questionId = harness.turn(1).questions?.[0]?.questionId ?? '';
    expect(harness.turn(1).questions?.[0]?.status).toBe('open');
    expect(await harness.app.lines.answer({ sessionId, turn: 1, questionId, option: 'Yes' })).toMatchObject({
      ok: false,
      error: { code: 'STATE' },
    });
    expect(harness.turn(1).questions?.[0]?.status).not.toBe('open');
    expect(harness.turn(1).command).toBeUndefined();
  });

  it('[CPR-resume] a command that lacked its focus continues once the focus is chosen', async () => {
    await start();
    await harness.say('/send LIST-9');
    const question = harness.turn(0).questions?.[0];
    expect(question?.text).toContain('but none is chosen. Choose one now?');
    const { sessionId } = harness;
    must(
      await harness.app.lines.answer({
        sessionId,
        turn: 0,
        questionId: question?.questionId ?? '',
        option: 'Yes',
      }),
    );
    expect(harness.turn(0).route?.action).toMatchObject({ type: 'open-picker', resume: '/send LIST-9' });
    must(await harness.app.lines.choose(sessionId, 0, 'TPL-123'));
    expect(harness.turn(1)).toMatchObject({
      text: '/send LIST-9',
      questions: [{ resolvedId: 'LIST-9', binding: true }],
    });
    expect(harness.turn(1).command).toBeUndefined();
    expect(must(harness.app.log.replay(sessionId)).equal).toBe(true);
  });

  it('[CPR-resume] a command of another mode continues in it, also after a typed yes', async () => {
    await start();
    await harness.say('/mode ddr');
    await harness.say('/template TPL-123', { items: [attached], parameters: { effort: 'high' } });
    expect((await harness.say('yes')).command?.summary).toBe('Mode: General');
    expect(harness.turn(3)).toMatchObject({
      text: '/template TPL-123',
      command: { status: 'done' },
      items: [attached],
      parameters: { effort: 'high' },
    });
    expect(harness.state().context?.entityHeader?.id).toBe('TPL-123');
    expect(harness.model.chats()).toHaveLength(0);
  });

  it('[CPR-to-model] a line that a command or a question handled can still go to the model, once', async () => {
    await start({ replies: [reply('one'), reply('two')] });
    const { sessionId } = harness;
    const toModel = (turn: number) => harness.app.lines.closePicker(sessionId, turn, 'model');
    await harness.say('switch to DDR mode');
    await must(toModel(0)).pending;
    expect(harness.turn(0)).toMatchObject({ command: { status: 'done' }, reply: { text: 'one' } });
    expect(userLines(0)).toEqual(['switch to DDR mode']);
    expect(toModel(0)).toMatchObject({ ok: false, error: { code: 'STATE' } });
    await harness.say('/template TPL-123');
    await must(toModel(1)).pending;
    expect(harness.turn(1)).toMatchObject({ questions: [{ status: 'withdrawn' }], reply: { text: 'two' } });
    expect(harness.state().openQuestion).toBeNull();
    expect(must(harness.app.log.replay(sessionId)).equal).toBe(true);
  });

  it('[CPR-undo] a command records the command that takes back its mode, focus or run mode', async () => {
    await start();
    const undoOf = async (line: string) => (await harness.say(line)).command?.undo;
    expect(await undoOf('/mode ddr_authoring')).toEqual({ commandId: 'SetMode', id: 'general' });
    expect(await undoOf('/mode ddr_authoring')).toBeUndefined();
    expect(await undoOf('/mode general')).toEqual({ commandId: 'SetMode', id: 'ddr_authoring' });
    expect(await undoOf('/template TPL-123')).toEqual({ commandId: 'ReleaseFocus', id: 'TPL-123' });
    expect(await undoOf('/list LIST-9')).toEqual({ commandId: 'SetActiveEmailTemplate', id: 'TPL-123' });
    expect(await undoOf('/focus LIST-9')).toEqual({ commandId: 'SetActiveMailerList', id: 'LIST-9' });
    const { mode } = harness.app.settings.get();
    const other = mode === 'ask' ? 'agent' : 'ask';
    expect(await undoOf(`/run-mode ${other}`)).toEqual({ commandId: 'SetRunMode', id: mode });
    expect(await undoOf('/run-mode nothing')).toBeUndefined();
  });

  it('[CPR-one-consent] the router leaves the question about a server’s tool to the card of its call', async () => {
    const confirmed = (home: string): void => {
      dropGatedPack(home);
      const file = join(home, 'packs/gated/commands/SetGated.json');
      const row = JSON.parse(readFileSync(file, 'utf8')) as object;
      const call = { toolName: 'mcp://gates.open', setsActiveContext: false, activeEntityType: undefined };
      const asks = { requiresConfirmation: true, requiredRoles: [] };
      writeFileSync(file, JSON.stringify({ ...row, ...call, ...asks }));
    };
    await start({ prepareHome: confirmed });
    const place = { state: harness.state(), ui: true };
    expect((await harness.app.lines.preview('/gated G-1', place)).action).toEqual({
      type: 'invoke-command',
      commandId: 'SetGated',
      resolvedId: 'G-1',
    });
  });

  it('[CPR-resume] nothing continues after a no', async () => {
    await start();
    await harness.say('/mode ddr');
    await harness.say('/template TPL-123');
    await harness.say('no');
    expect(harness.state().turnCount).toBe(3);
    expect(harness.state().context).toBeNull();
  });

  it('[CPR-line-order] a line waits for what the line before it changes', async () => {
    await start({ replies: [reply('ok')] });
    const [, second] = await Promise.all([harness.send('/mode ddr'), harness.send('/template TPL-123')]);
    await second.done;
    expect(second.routing.action).toMatchObject({
      type: 'ask-clarifying-question',
      questionText: '/template belongs to the mode “General”. Switch to it first?',
    });
  });

  it('[CPR-line-order] a line is recorded only after a slow command of the line before it has ended', async () => {
    await start();
    await harness.say('/template TPL-123');
    await harness.say('send this to the Q1 pilot list');
    // The first line writes a message to disk; the second would change the focus of that message.
    const lines = await Promise.all([harness.send('yes'), harness.send('/persona PERS-22')]);
    await Promise.all(lines.map(({ done }) => done));
    const events = must(harness.app.log.events(harness.sessionId));
    const at = (type: string, turn: number) =>
      events.findIndex((event) => event.type === type && 'turn' in event && event.turn === turn);
    expect(harness.turn(2).command?.status).toBe('done');
    expect(at('message-sent', 3)).toBeGreaterThan(at('command-ended', 2));
  });

  it('[CPR-7-no-retries] a command that fails is invoked once', async () => {
    await start();
    await harness.say('/template TPL-123');
    const { sessionId } = harness;
    const run = { sessionId, turn: 0, commandId: 'SetActiveEmailTemplate', id: 'TPL-0' };
    expect(must(await harness.app.commands.run(run)).outcome).toBe('failed');
    const events = must(harness.app.log.events(sessionId)).map(({ type }) => type);
    expect(events.filter((type) => type === 'command-invoked')).toHaveLength(2);
    expect(events.filter((type) => type === 'command-ended')).toHaveLength(2);
  });

  it('[AWC-domain] [AWC-id-identity] the focus has its domain, and keeps its Id when the item is renamed', async () => {
    const file = (home: string) => join(home, 'ddrs', 'SYS-100.md');
    const write = (home: string, title: string): void => {
      mkdirSync(dirname(file(home)), { recursive: true });
      const head = `id: SYS-100\ntla: SYS\ntitle: ${title}\nsummary: x\nstatus: draft`;
      writeFileSync(file(home), `---\n${head}\n---\n`);
    };
    await start({ prepareHome: (home) => write(home, 'Old name') });
    await harness.say('/template TPL-123');
    expect(harness.state().context?.domain).toBe('sales');
    await harness.say('/ddr SYS-100');
    expect(harness.state().context?.entityHeader).toEqual({ id: 'SYS-100', displayName: 'Old name' });
    write(harness.home, 'New name');
    const released = await harness.say('clear the focus');
    expect(released.route?.action).toMatchObject({ commandId: 'ReleaseFocus', resolvedId: 'SYS-100' });
    expect(released.command?.status).toBe('done');
    expect(harness.state().context).toBeNull();
  });
});

describe('a request for the current state', () => {
  it('[CPR-same-mode] is answered without a card, for a line and for a command, and is not a failure', async () => {
    await start();
    for (const line of ['/mode general', 'switch to general mode']) {
      const turn = await harness.say(line);
      expect(turn.command).toMatchObject({ status: 'done', summary: 'Already in General.' });
      expect(turn.command?.error).toBeUndefined();
    }
    await harness.say('/mode ddr');
    await harness.say('/mode ddr_authoring');
    const events = must(harness.app.log.events(harness.sessionId));
    expect(events.filter(({ type }) => type === 'mode-changed')).toHaveLength(1);
  });
});

describe('a session that nobody has open', () => {
  it('[CLI-route-session] is routed in as in the app: with its mode and its focus', async () => {
    const at = mkdtempSync(join(tmpdir(), 'patina-route-'));
    await start({ at });
    await harness.say('/template TPL-123', { ui: false });
    const { id } = harness.state();
    await harness.close();
    await start({ at });
    const state = must(harness.app.log.peek(id));
    expect(harness.app.log.state(id)).toBeNull();
    const place = { state, ui: true };
    await harness.app.plane.warmFully(place);
    expect((await harness.app.lines.preview('clear the focus', place)).action).toMatchObject({
      type: 'invoke-command',
      commandId: 'ReleaseFocus',
      resolvedId: 'TPL-123',
    });
    const other = { state: harness.state(), ui: true };
    await harness.app.plane.warmFully(other);
    expect((await harness.app.lines.preview('clear the focus', other)).action.type).toBe('continue-with-llm');
    rmSync(at, { recursive: true, force: true });
  });
});

describe('a launcher of a pack over a source that Patina also has commands for', () => {
  const put = (root: string, name: string, row: object): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), JSON.stringify(row));
  };
  function dropRunbooks(home: string): void {
    const root = join(home, 'packs', 'runbooks');
    const over = { singleParameterName: 'id', resolverSource: { providerId: 'mcp_resources' } };
    put(root, 'pack.json', { id: 'runbooks', version: '1' });
    put(root, 'commands/EchoRunbook.json', {
      commandId: 'EchoRunbook',
      displayName: 'Echo a runbook',
      toolName: 'mcp://runbooks.echo',
      ...over,
    });
    put(root, 'commands/OpenRunbooks.json', {
      commandId: 'OpenRunbooks',
      displayName: 'Runbooks',
      toolName: 'open_picker',
      ...over,
      commandKind: 'launcher',
      intentPatterns: ['show runbooks'],
      slash: 'runbooks',
    });
    const commandIds = ['EchoRunbook', 'OpenRunbooks'];
    const box = { toolboxId: 'runbooks', displayName: 'Runbooks', catalogIds: [], activeIn: ['general'] };
    put(root, 'toolboxes/runbooks.json', { ...box, commandIds });
  }

  it('[AGN37-6-launcher-own] runs the pack’s command in the router, the picker and the window alike', async () => {
    await start({ prepareHome: dropRunbooks });
    const { plane, lines } = harness.app;
    const place = { state: harness.state(), ui: true };
    const routed = await lines.preview('show runbooks', place);
    expect(routed.action).toMatchObject({ type: 'open-picker', commandId: 'EchoRunbook' });
    expect(plane.commandIdForChoice(harness.state(), 'OpenRunbooks')).toBe('EchoRunbook');
    const takenBy = Object.fromEntries(
      plane.view(harness.state()).commands.map((row) => [row.commandId, row.takenBy]),
    );
    expect(takenBy).toMatchObject({ OpenRunbooks: 'EchoRunbook', OpenResources: 'SetActiveResource' });
    expect((await lines.preview('show the MCP resources', place)).action).toMatchObject({
      commandId: 'SetActiveResource',
    });
  });
});

describe('an item that a user named', () => {
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  function nameThings(home: string): void {
    const titles = ['Structured logging', 'Dark mode', 'Retry with backoff'];
    for (const [index, title] of titles.entries())
      put(
        join(home, 'ddrs', `SYS-10${index}.md`),
        `---\nid: SYS-10${index}\ntla: SYS\ntitle: ${title}\nsummary: x\nstatus: draft\n---\n`,
      );
    const node = { id: 'a', kind: 'script', title: 'A', code: 'return { summary: "built" };', tools: [] };
    put(
      join(home, 'packs/my_recipes/recipes/build.json'),
      JSON.stringify({
        id: 'build',
        title: 'The build',
        intentPatterns: ['make the whole build now'],
        plan: { goal: 'Build', nodes: [node], answer: '{{a.summary}}' },
      }),
    );
    dropGatedPack(home);
    const command = {
      commandId: 'SetOpenGated',
      displayName: 'Pick a gated thing',
      toolName: 'set_active_context',
      singleParameterName: 'id',
      resolverSource: { catalogId: 'gated' },
      setsActiveContext: true,
      activeEntityType: 'gated_thing',
      intentPatterns: ['{focus} [the] {item}', '{focus} [the] {noun} {item}'],
    };
    put(join(home, 'packs/gated/commands/SetOpenGated.json'), JSON.stringify(command));
    const box = { toolboxId: 'gated', displayName: 'Gated', catalogIds: ['gated'], activeIn: ['general'] };
    const commandIds = ['SetGated', 'SetOpenGated'];
    put(join(home, 'packs/gated/toolboxes/gated.json'), JSON.stringify({ ...box, commandIds }));
  }

  it('[CPR-7-user-titles-flow] is found by its id or with its kind; other text goes to the model', async () => {
    await start({ prepareHome: nameThings });
    must(harness.app.log.append(harness.sessionId, [{ type: 'session-renamed', title: 'The main branch' }]));
    const place = { state: harness.state(), ui: true };
    await harness.app.plane.warmFully(place);
    const types = async (...lines: readonly string[]) =>
      Promise.all(lines.map(async (line) => (await harness.app.lines.preview(line, place)).action.type));
    const talk = [
      ...['use structured logging', 'add a dark mode toggle', 'can you use retry with backoff?'],
      ...['run the build', 'start build', 'go back to the main branch', 'work on the first gate'],
    ];
    expect(await types(...talk)).toEqual(talk.map(() => 'continue-with-llm'));
    const commands = [
      ...['open the DDR Structured logging', 'work on SYS-101', 'run the recipe The build'],
      ...['open the session The main branch', 'open G-1', 'work on the gated thing First gate'],
      ...['use the mode catalog', 'run count_todos'],
    ];
    expect(await types(...commands)).toEqual(commands.map(() => 'invoke-command'));
  });
});
