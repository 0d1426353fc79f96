import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PendingElicitation } from '#shared/elicitation';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { calls, text } from '../../testing/workflow-harness';

const peer = resolve('src/testing/mcp-peers/stateless-server.mjs');
let projectServer: string;
let project: string;
let harness: MainHarness;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-elicit-'));
  mkdirSync(join(project, '.patina'));
  const allowed = { allow: ['mcp://peer.*'], deny: [], write: [], rateLimits: {} };
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify(allowed));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

/** Main with a real server that asks for the user's name; every call is approved. */
async function start(): Promise<void> {
  const mcpServers = { peer: { command: process.execPath, args: [peer], trusted: true } };
  harness = await startMain({
    replies: [calls('peer__ask', {}), text('So it is.')],
    project,
    projectServer,
    prepareHome: (home) => {
      mkdirSync(join(home, 'mcp'));
      writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers }));
    },
  });
  must(harness.app.settings.patch({ toolsInAsk: true }));
  harness.app.log.subscribe((events) => {
    for (const event of events) {
      if (event.type !== 'question-asked') continue;
      const { questionId, options } = event.question;
      const place = { sessionId: harness.sessionId, turn: event.turn, questionId };
      void harness.app.lines.answer({ ...place, option: options[0] ?? '' });
    }
  });
}

/** Subscribes to the server's questions and to their ends. */
function attend(onAsked: (asked: PendingElicitation) => void = () => undefined) {
  const over: string[] = [];
  const leave = harness.app.elicitations.subscribe({ onAsked, over: (id) => over.push(id) });
  return { over, leave };
}

const whatTheModelRead = (): string => harness.model.chats()[1]?.body.toString() ?? '';

/** All bytes written to disk below a folder. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

describe('a server that asks the user', () => {
  it('[MCP-elicit-answer] receives the answer while its call waits, and only one that fits the form', async () => {
    await start();
    const problems: unknown[] = [];
    const asked: PendingElicitation[] = [];
    const { over } = attend((elicitation) => {
      asked.push(elicitation);
      const { id } = elicitation;
      problems.push(harness.app.elicitations.answer(id, { action: 'accept', content: {} }));
      problems.push(harness.app.elicitations.answer(id, { action: 'accept', content: { name: 3 } }));
      must(harness.app.elicitations.answer(id, { action: 'accept', content: { name: 'Grace' } }));
    });
    await harness.say('who is there?');
    expect(asked).toMatchObject([{ request: { server: 'peer', message: 'Who is there?' } }]);
    expect(problems).toMatchObject([
      { error: { code: 'INVALID_INPUT', problems: [{ field: 'name', reason: 'This field is required.' }] } },
      { error: { code: 'INVALID_INPUT', problems: [{ field: 'name', reason: 'Type a text.' }] } },
    ]);
    expect(whatTheModelRead()).toContain('Hello Grace');
    expect(over).toEqual(asked.map(({ id }) => id));
    expect(harness.app.elicitations.open()).toEqual([]);
    const [first] = asked;
    expect(harness.app.elicitations.answer(first?.id ?? '', { action: 'decline' })).toMatchObject({
      error: { kind: 'HOST', code: 'STATE' },
    });
  });

  it('[MCP-elicit-answer] is told that the user declined', async () => {
    await start();
    attend(({ id }) => void must(harness.app.elicitations.answer(id, { action: 'decline' })));
    await harness.say('who is there?');
    expect(whatTheModelRead()).toContain('They said decline');
  });

  it('[MCP-elicit-nobody] is declined immediately where nobody can be asked', async () => {
    await start();
    await harness.say('who is there?');
    expect(whatTheModelRead()).toContain('They said decline');
  });

  it('[MCP-elicit-ends] has its question withdrawn when the work is stopped', async () => {
    await start();
    const shown = new Promise<PendingElicitation>((resolve) => attend(resolve));
    const line = await harness.send('who is there?');
    const { id } = await shown;
    const { over } = attend();
    expect(harness.app.elicitations.open()).toHaveLength(1);
    harness.app.conversation.stop(harness.sessionId, line.turn);
    await line.done;
    expect(over).toEqual([id]);
    expect(harness.app.elicitations.open()).toEqual([]);
  });

  it('[MCP-elicit-ends] has its question withdrawn when the person leaves', async () => {
    await start();
    const shown = new Promise<PendingElicitation>((resolve) => {
      const { leave } = attend((asked) => {
        resolve(asked);
        leave();
      });
    });
    await harness.say('who is there?');
    await shown;
    expect(whatTheModelRead()).toContain('They said cancel');
  });

  it('[MCP-elicit-private] receives an answer that is stored nowhere', async () => {
    await start();
    attend(({ id }) => {
      // The server repeats the name, which is then part of its result. What the user did not send stays
      // hidden.
      const content = { name: 'Grace' };
      must(harness.app.elicitations.answer(id, { action: 'accept', content }));
    });
    await harness.say('who is there?');
    const kept = written(harness.home);
    expect(kept).toContain('Hello Grace');
    expect(kept.replaceAll('Hello Grace', '')).not.toContain('Grace');
  });
});
