import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startMain, type MainHarness } from '../../../testing/main-harness';
import { must } from '../../../testing/stored-session';
import { createTerminal } from '../create-terminal';
import type { Terminal } from '../output';
import { createTurns } from '../turns';
import { chatCommand, type ChatOptions } from './chat';

let harness: MainHarness;
afterEach(() => harness.close());

/** Types these lines in `patina chat`; returns what it prints. */
const chat = async (...lines: readonly string[]): Promise<string> => (await chatWith(lines)).printed;

async function chatWith(lines: readonly string[], options: ChatOptions = {}) {
  const typed = [...lines];
  const printed: string[] = [];
  const write = (text: string) => void printed.push(text);
  const terminal: Partial<Terminal> = {
    interactive: false,
    language: 'en',
    json: false,
    out: write,
    log: write,
    readLine: () => Promise.resolve(typed.shift() ?? null),
    inTurn: createTurns(),
    onTyped: () => () => undefined,
    onInterrupt: () => () => undefined,
  };
  const session = harness.sessionId;
  const code = await chatCommand(harness.app, terminal as Terminal, { session, ...options });
  return { code, printed: printed.join('\n') };
}

describe('[QUE-chat] waiting lines in patina chat', () => {
  it('[QUE-move] are listed in their order, withdrawn by number, and answered after the next line', async () => {
    harness = await startMain({ replies: [{ text: 'new answer' }, { text: 'kept answer' }] });
    const { log } = harness.app;
    const model = await harness.app.chosenModel();
    const waiting = { type: 'line-queued' as const, runMode: 'ask' as const, model, items: [] };
    must(
      log.append(harness.sessionId, [
        { ...waiting, lineId: 'line_2', text: 'But this', when: 'after' },
        { ...waiting, lineId: 'line_1', text: 'Not this', when: 'stage' },
        { type: 'line-moved', lineId: 'line_1', before: 'line_2' },
        { type: 'queue-paused' },
      ]),
    );
    const shown = await chat(
      '/withdraw',
      '/withdraw 3',
      '/next 2',
      '/withdraw 1',
      '/queue',
      'Something new',
      '/queue',
    );
    expect(shown).toContain('2 messages wait, paused.');
    expect(shown).toContain('  2. (after) But this');
    expect(shown).toContain('  1. (next) But this');
    expect(shown).toContain('There is no waiting message 3.');
    expect(shown).toContain('/withdraw needs the number of a waiting message, as in /withdraw 1.');
    expect(shown).toContain('Comes next: But this');
    expect(shown).toContain('Withdrawn: Not this');
    expect(shown).toContain('1 message waits, paused.');
    expect(shown.indexOf('new answer')).toBeLessThan(shown.indexOf('> But this'));
    expect(shown).toContain('kept answer');
    expect(shown.endsWith('No message waits.')).toBe(true);
    expect([0, 1].map((turn) => harness.turn(turn).text)).toEqual(['Something new', 'But this']);
  });
});

it('[QUE-edit] a waiting line under edit in the app is listed as such, and can be used here', async () => {
  harness = await startMain({ replies: [{ text: 'an answer' }, { text: 'another answer' }] });
  const { log } = harness.app;
  const model = await harness.app.chosenModel();
  const waiting = { type: 'line-queued' as const, runMode: 'ask' as const, model, items: [] };
  must(
    log.append(harness.sessionId, [
      { ...waiting, lineId: 'line_1', text: 'Half of it', when: 'stage' },
      { ...waiting, lineId: 'line_2', text: 'And this', when: 'after' },
      { type: 'line-edited', lineId: 'line_1', held: true },
    ]),
  );
  const shown = await chat('/queue', '/next 1', '/queue');
  expect(shown).toContain('  1. (being edited in the app) Half of it\n  2. (after) And this\n');
  expect(shown).toContain('Message 1 and what follows it wait until that edit ends; /next 1 ends it.');
  expect(shown.split('being edited')).toHaveLength(3);
  await vi.waitFor(() =>
    expect([0, 1].map((turn) => harness.turn(turn).text)).toEqual(['Half of it', 'And this']),
  );
});

describe('[QUE-chat-ends] the end of a run in patina chat', () => {
  it('says that the answer is a question, and prints the error of a waiting line with its hint', async () => {
    const fault = { type: 'status', status: 400, message: 'No such model.' } as const;
    const replies = [{ text: 'Which folder?' }, { text: 'Which file?' }, { fault }, { fault }];
    harness = await startMain({ replies });
    const { log, settings, chosenModel } = harness.app;
    must(settings.patch({ mode: 'agent' }));
    const waiting = { type: 'line-queued' as const, model: await chosenModel(), items: [] };
    must(
      log.append(harness.sessionId, [
        { ...waiting, runMode: 'agent', lineId: 'line_1', text: 'Sort it', when: 'after' },
        { ...waiting, runMode: 'agent', lineId: 'line_2', text: 'Rename it', when: 'after' },
        { ...waiting, runMode: 'ask', lineId: 'line_3', text: 'Why?', when: 'after' },
        { type: 'queue-paused' },
      ]),
    );
    const shown = await chat('Tidy up');
    expect(shown.match(/The model asks you\. Your next message answers it\./g)).toHaveLength(2);
    const [, failed = ''] = shown.split('> Rename it');
    expect(failed.match(/LLM\/[A-Z_]+: .+\n→ /g)).toHaveLength(2);
  });
});

describe('a misrouted line in patina chat', () => {
  it('[CPR-undo-chat] is undone by /back, and sent to the model by /instead', async () => {
    harness = await startMain({ replies: [{ text: 'As you like.' }] });
    expect(await chat('/back', '/instead')).toContain(
      'The last message changed nothing that can be taken back.',
    );
    const shown = await chat('/mode ddr_authoring', '/back', 'switch to DDR mode', '/instead', '/instead');
    expect(shown.match(/Mode: .+/g)).toEqual(['Mode: DDR Authoring', 'Mode: General', 'Mode: DDR Authoring']);
    expect(harness.turn(1).text).toBe('/mode general');
    expect(shown).toContain('As you like.');
    expect(harness.turn(2)).toMatchObject({
      command: { undo: { id: 'general' } },
      reply: { text: 'As you like.' },
    });
    expect(harness.model.chats()).toHaveLength(1);
  });
});

it('[REV-command] the review is set by a line in patina chat, used by the next goal, and taken back', async () => {
  harness = await startMain({ replies: [{ text: 'Nothing to do.' }] });
  const { settings } = harness.app;
  must(settings.patch({ mode: 'agent' }));
  await chat('/review plan');
  expect(settings.get().review).toBe('plan');
  expect(harness.turn(0).command).toMatchObject({ undo: { id: 'writes' } });
  await chat('Tidy up', 'set the review to none', '/back');
  expect(harness.turn(1)).toMatchObject({ text: 'Tidy up', review: 'plan' });
  expect(settings.get().review).toBe('plan');
});

/** `patina chat` at a terminal, where the user also types while the session works. */
function openChat() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const atTerminal = { isTTY: true };
  const streams = {
    stdin: Object.assign(stdin, atTerminal),
    stdout,
    stderr: Object.assign(stderr, atTerminal),
  };
  const terminal = createTerminal(streams, false, process);
  let screen = '';
  for (const stream of [stdout, stderr]) stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  const ended = chatCommand(harness.app, terminal, { session: harness.sessionId }).finally(() =>
    terminal.close(),
  );
  return {
    screen: () => screen,
    /** Resolves when the text is on the screen. */
    shows: (text: string) => vi.waitFor(() => expect(screen).toContain(text), 60_000),
    /** Types a line; resolves when the fact that it causes is recorded. */
    async type(line: string, fact: string) {
      const recorded = harness.next(fact);
      stdin.write(`${line}\n`);
      await recorded;
    },
    enter: (line: string) => stdin.write(`${line}\n`),
    interrupt: () => stdin.write(ctrlC),
    async quit() {
      stdin.write('/quit\n');
      await ended;
    },
  };
}

/** What a terminal in raw mode sends for Ctrl+C. */
const ctrlC = '\u0003';

describe('[CLI-interrupt] Ctrl+C in patina chat', () => {
  it('closes a list to choose from', async () => {
    harness = await startMain({ replies: [{ text: 'Still here.' }] });
    const user = openChat();
    await user.type('/mode', 'input-routed');
    await user.shows('Type a number');
    const closed = harness.next('picker-closed');
    user.interrupt();
    await closed;
    await user.type('Hello', 'reply-ended');
    await user.quit();
    expect(user.screen()).toContain('Still here.');
  });

  it('stops an answer that /retry or /instead asked for, and the chat goes on', async () => {
    const gated = { text: 'A long answer.', gated: true };
    harness = await startMain({
      replies: [{ text: 'First answer.' }, gated, gated, { text: 'Still here.' }],
    });
    const user = openChat();
    // A reply that is stopped before its request arrives would leave its script to the next line.
    const asked = (count: number) =>
      vi.waitFor(() => expect(harness.model.chats()).toHaveLength(count), 60_000);
    await user.type('Hello', 'reply-ended');
    await user.type('/retry', 'reply-started');
    await asked(2);
    const stopped = harness.next('reply-ended');
    user.interrupt();
    await stopped;
    await user.type('/mode general', 'command-ended');
    await user.type('/instead', 'reply-started');
    await asked(3);
    const again = harness.next('reply-ended');
    user.interrupt();
    await again;
    await user.type('Hello again', 'reply-ended');
    await user.quit();
    expect(user.screen().match(/Stopped here\./g)).toHaveLength(2);
    expect(user.screen()).toContain('Still here.');
  });
});

describe('[QUE-typed] a line that is typed in patina chat while the session works', () => {
  it('waits for the reply, in order, and is used now or withdrawn by its number', async () => {
    harness = await startMain({
      replies: [
        { text: 'First answer.', gated: true },
        { text: 'Third answer.' },
        { text: 'Second answer.' },
      ],
    });
    const user = openChat();
    await user.type('One', 'reply-started');
    // A reply that is stopped before its request arrives would leave its script to the next line.
    await vi.waitFor(() => expect(harness.model.chats()).toHaveLength(1), 60_000);
    await user.type('Two', 'line-queued');
    await user.shows('This message waits. /now 1');
    await user.type('Three', 'line-queued');
    await user.type('Never', 'line-queued');
    await user.type('/withdraw 3', 'line-withdrawn');
    await user.type('/after 1', 'line-edited');
    await user.type('/now 2', 'line-edited');
    await user.shows('Second answer.');
    harness.model.release();
    await user.quit();
    expect([0, 1, 2].map((turn) => [harness.turn(turn).text, harness.turn(turn).reply?.status])).toEqual([
      ['One', 'stopped'],
      ['Three', 'done'],
      ['Two', 'done'],
    ]);
    expect(harness.state()).toMatchObject({ turnCount: 3 });
    expect(user.screen()).toContain('Waits for the end of the run: Two');
  });

  it('[QUE-chat-order] is shown after the answer that it waited for, and before anything of its own run', async () => {
    harness = await startMain({
      replies: ['First answer.', 'Second answer.', 'Third answer.'].map((text) => ({ text, gated: true })),
    });
    must(harness.app.settings.patch({ mode: 'agent' }));
    const user = openChat();
    await user.type('One', 'run-started');
    await user.type('Two', 'line-queued');
    await user.type('/after 1', 'line-edited');
    must(harness.app.settings.patch({ mode: 'ask' }));
    await user.type('Three', 'line-queued');
    await user.type('/after 2', 'line-edited');
    harness.model.release();
    await user.shows('Third answer.');
    await user.quit();
    expect(user.screen().match(/^(?:run (?=run)|> (?:Two|Three)|\w+ answer\.)/gm)).toEqual([
      'run ',
      'First answer.',
      '> Two',
      'run ',
      'Second answer.',
      '> Three',
      'Third answer.',
    ]);
  });

  it('becomes part of the observation of a run that looks at a stage', async () => {
    const listed = {
      goal: 'Count them',
      nodes: [
        { id: 'list', title: 'List', kind: 'script', code: "return { summary: 'listed', state: { n: 2 } };" },
      ],
      then: 'look',
    };
    harness = await startMain({
      replies: [
        { toolCalls: [{ name: 'submit_plan', arguments: listed }], gated: true },
        { text: 'Two new ones.' },
      ],
    });
    must(harness.app.settings.patch({ mode: 'agent' }));
    const user = openChat();
    await user.type('Count them', 'run-started');
    await user.type('Only the new ones', 'line-queued');
    harness.model.release();
    await user.shows('Two new ones.');
    await user.quit();
    expect(harness.turn(0).run?.steered).toMatchObject([{ text: 'Only the new ones', stage: 1 }]);
    expect(harness.model.chats()[1]?.text).toContain('Only the new ones');
    expect(harness.state()).toMatchObject({ turnCount: 1 });
  });

  it.each([
    ['a question', 'writes', 'Your answer [y/N]'],
    ['a plan', 'plan', 'Run this plan?'],
  ] as const)('is listed and used now while %s waits for the user', async (_, review, prompt) => {
    const nodes = [{ id: 'sure', title: 'Is it right?', kind: 'approval', prompt: 'Is it right?' }];
    const asks = { toolCalls: [{ name: 'submit_plan', arguments: { nodes, answer: 'Done.' } }] };
    harness = await startMain({ replies: [{ ...asks, gated: true }, { text: 'As you said.' }] });
    must(harness.app.settings.patch({ mode: 'agent', review }));
    const user = openChat();
    await user.type('Count them', 'run-started');
    await user.type('Only the new ones', 'line-queued');
    harness.model.release();
    await user.shows(prompt);
    user.enter('/queue');
    await user.shows('1. (next) Only the new ones');
    await user.type('/now 1', 'run-ended');
    await user.quit();
    expect(user.screen()).toContain('\nAs you said.');
    expect(user.screen()).not.toContain('none of the answers');
    expect(harness.turn(0).run?.steered).toMatchObject([{ text: 'Only the new ones' }]);
  });

  it('leaves /quit and /new, with all lines after them, until the session is idle', async () => {
    harness = await startMain({
      replies: [{ text: 'First answer.', gated: true }, { text: 'In the new one.' }],
    });
    const user = openChat();
    await user.type('One', 'reply-started');
    const next = user.type('/new\nTwo', 'session-created');
    harness.model.release();
    await next;
    await user.shows('In the new one.');
    await user.quit();
    expect(harness.state()).toMatchObject({ turnCount: 1 });
  });
});

describe('[MDL-named] patina chat --model', () => {
  const asked = () => harness.model.chats().map(({ json }) => (json as { model: string }).model);

  it('names the model of this chat, until a line chooses another, and leaves the setting', async () => {
    const models = ['alpha-1', 'beta-2', 'gamma-3'];
    harness = await startMain({
      models,
      replies: [{ text: 'Hello.', times: 5 }],
      env: { PATINA_MODEL: 'alpha-1' },
    });
    const { app } = harness;
    await app.models.listModels(true);
    expect(await chatWith(['one', 'retry'], { model: 'beta-2' })).toMatchObject({ code: 0 });
    expect(app.settings.get().model).toMatchObject({ model: 'alpha-1' });
    await chatWith(['two', '/model environment/gamma-3', 'three'], { model: 'environment/beta-2' });
    await chatWith(['four']);
    expect(asked()).toEqual(['beta-2', 'beta-2', 'beta-2', 'gamma-3', 'gamma-3']);
  });

  it('refuses an unknown name with near names, and takes no line', async () => {
    harness = await startMain({ models: ['alpha-1'], replies: [] });
    await harness.app.models.listModels(true);
    const { code, printed } = await chatWith(['one'], { model: 'alpa-1' });
    expect(code).toBe(1);
    expect(printed).toContain('No provider lists a model "alpa-1".');
    expect(printed).toContain('Did you mean environment/alpha-1?');
    expect(harness.model.chats()).toHaveLength(0);
    expect(harness.app.log.state(harness.sessionId)?.turnCount ?? 0).toBe(0);
  });
});
