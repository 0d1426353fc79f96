import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { loadTokenCount } from '../../core/session/token-count';
import { must } from '../../testing/stored-session';

let projectServer: string;
let project: string;
let harness: MainHarness;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-agent-conversation-'));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const start = async (replies: MainHarnessOptions['replies'] = []): Promise<void> => {
  harness = await startMain({ project, projectServer, replies });
};
const submit = (plan: object) => ({ toolCalls: [{ name: 'submit_plan', arguments: plan }] });
const work = (state: string, answer: string) =>
  submit({ code: `return { summary: 'worked', state: ${state} };`, answer });
const run = (text: string) => harness.say(text, { runMode: 'agent' });

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}
const requests = (): readonly Sent[] => harness.model.chats().map(({ json }) => json as unknown as Sent);
const none: Sent['messages'] = [];
const last = (): Sent => {
  const sent = requests().at(-1);
  if (!sent) throw new Error('No request was sent.');
  return sent;
};

describe('[STG-prompt] the planning call', () => {
  it('takes at most 900 tokens besides tools, instructions and conversation, and has the right order', async () => {
    await start();
    const { sessionId, app } = harness;
    const preview = must(await app.previewPrompt({ sessionId, runMode: 'agent' }));
    const sources = preview.blocks.map(({ source }) => source);
    expect(sources[0]).toBe('planner: rules');
    expect(sources.at(-1)).toBe('planner: tools');
    expect(sources).not.toContain('workflows');
    expect(sources.indexOf('mode catalog')).toBeLessThan(sources.indexOf('mode: general'));
    expect(preview.tools.map(({ name }) => name)).toEqual([
      'submit_plan',
      'find_tools',
      'read_result',
      'agent_list_modes',
      'agent_change_mode',
    ]);
    const besides = preview.blocks.filter(
      ({ source }) => source !== 'planner: tools' && !source.startsWith('mode: '),
    );
    const tokens = [...besides, ...preview.tools].reduce((sum, part) => sum + part.tokens, 0);
    expect(tokens).toBeLessThanOrEqual(900);
  });

  it('[DCL-full] [DCL-input] declares the bundled tools in full, in at most 2,100 tokens of input', async () => {
    await start([{ text: 'Fine.' }, { text: 'Fine.' }]);
    await run('Count the files');
    const declared = [...(last().messages[0]?.content ?? '').matchAll(/^(tools\.\w+|\.\w+(?=\(.*\): ))/gm)];
    expect(declared.map(([, name]) => name)).toEqual(
      expect.arrayContaining([
        'tools.filesystem',
        '.write_file',
        'tools.project',
        '.git_log',
        '.search_text',
      ]),
    );
    expect(declared.length).toBeGreaterThanOrEqual(22 + 2);
    const count = await loadTokenCount();
    expect(count(JSON.stringify(last()))).toBeLessThanOrEqual(2_100);
  });

  it('[DCL-stable] has the same system message for every goal of a session', async () => {
    await start([work('{ n: 1 }', 'Done.'), { text: 'Fine.' }]);
    await run('Count the files of src');
    await run('Now write a CHANGELOG.md from the last 20 commits, grouped by type');
    const [first, second] = requests().map(({ messages }) => messages[0]?.content);
    expect(first).toContain('\n.git_log(');
    expect(second).toBe(first);
  });
});

it('[STG-brief] a model step and a model-written answer are told of no function that they lack', async () => {
  const nodes = [
    { id: 'list', code: "return { summary: '', state: { rows: [1] } };" },
    { id: 'read', kind: 'llm', deps: ['list'], prompt: 'Say how many rows there are.' },
  ];
  const plan = { nodes, answer: { llm: true } };
  await start([
    { toolCalls: [{ name: 'submit_plan', arguments: plan }] },
    { text: 'One row.' },
    { text: 'There is one.' },
  ]);
  await run('Count the rows');
  const [planned, ...others] = requests();
  expect(JSON.stringify(planned)).toContain('agent_change_mode');
  expect(others).toHaveLength(2);
  for (const other of others) {
    expect(JSON.stringify(other)).not.toMatch(/agent_change_mode|agent_list_modes|submit_plan|find_tools/);
  }
});

describe('[STG-conversation] a goal that follows another', () => {
  it('is planned with the earlier turns before it, as messages that are only appended', async () => {
    await start([
      work("{ files: [{ path: 'src/a.ts' }, { path: 'src/b.ts' }] }", 'Two files in src.'),
      work('{ n: 0 }', 'None in docs.'),
      { text: 'You are welcome.' },
    ]);
    await run('List the files of src');
    expect((await run('now do the same for docs')).run?.answer).toBe('None in docs.');
    await run('thanks');
    const [first = none, second = none, third = none] = requests().map(({ messages }) => messages);
    expect(first.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(second.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(second.slice(0, 2)).toEqual(first);
    expect(third.slice(0, 4)).toEqual(second);
    expect(third.map(({ content }) => content).slice(1, 2)).toEqual(['List the files of src']);
    expect(third.slice(-1)).toMatchObject([{ role: 'user', content: 'thanks' }]);
    const [, answer = ''] = /^Two files in src\.\n\n.*:\n(\{.*\})$/s.exec(second[2]?.content ?? '') ?? [];
    expect(JSON.parse(answer)).toEqual({
      run: {
        goal: 'List the files of src',
        outcome: 'done',
        writes: [],
        results: {
          work: {
            type: 'object',
            keys: {
              files: {
                type: 'array',
                length: 2,
                items: { type: 'object', keys: { path: { type: 'string', bytes: 8 } } },
                first: [{ path: 'src/a.ts' }, { path: 'src/b.ts' }],
              },
            },
          },
        },
      },
    });
  });

  it('includes turns of Ask, and no line that a command handled', async () => {
    await start([{ text: 'It is a compiler.' }, { text: 'Yes.' }]);
    await harness.say('What is tsc?');
    await harness.say('switch to general mode');
    await run('Is it fast?');
    expect(last().messages.slice(1)).toMatchObject([
      { role: 'user', content: 'What is tsc?' },
      { role: 'assistant', content: 'It is a compiler.' },
      { role: 'user', content: 'Is it fast?' },
    ]);
  });

  it('asks the model again when the earlier conversation differs, and not when it is the same', async () => {
    const once = work('{ n: 1 }', 'One: {{work.n}}');
    await start([once, { text: 'Hello.' }, once]);
    await run('Count them');
    expect(harness.model.chats()).toHaveLength(1);
    await run('hello');
    await run('Count them');
    expect(harness.model.chats()).toHaveLength(3);
    const { id } = must(harness.app.log.create(project));
    const model = await harness.app.chosenModel();
    const sent = must(
      harness.app.conversation.send({ sessionId: id, text: 'Count them', runMode: 'agent', model }),
    );
    await sent.done;
    expect(harness.model.chats()).toHaveLength(3);
  });

  it('[AGENT-thinking-live] shows what the model thinks of each plan as it arrives, and records it once', async () => {
    const stage = { code: "return { summary: 'looked', state: { n: 1 } };", then: 'look' };
    await start([
      { thinking: 'Count the files first.', ...submit(stage) },
      { thinking: 'One is enough.', text: 'There is one.' },
    ]);
    const shown: string[] = [];
    const offsets: number[] = [];
    harness.app.onReplyDelta(({ thinking, offset, text }) => {
      if (offset === 0) shown.push('');
      offsets.push(offset - (shown.at(-1)?.length ?? 0));
      shown[shown.length - 1] += thinking ? text : 'NO THINKING';
    });
    expect((await run('Weigh these names')).run).toMatchObject({ answer: 'There is one.' });
    expect(shown).toEqual(['Count the files first.', 'One is enough.']);
    expect(new Set(offsets)).toEqual(new Set([0]));
  });

  it('omits the oldest turns beyond 8,000 tokens, and says how many', async () => {
    mkdirSync(join(project, 'docs'));
    writeFileSync(join(project, 'docs/a.txt'), 'a');
    const long = (n: number) => ({ text: `${n} ${'and so on '.repeat(1_100)}` });
    await start([long(1), long(2), long(3), { text: 'Ok.' }]);
    for (const line of ['one', 'two', 'three']) await harness.say(line);
    await run('four');
    const [, marker, ...rest] = last().messages.map(({ content }) => content);
    expect(marker).toBe('[1 earlier turn left out]');
    expect(rest.map((content) => content.slice(0, 5))).toEqual(['two', '2 and', 'three', '3 and', 'four']);
  });
});
