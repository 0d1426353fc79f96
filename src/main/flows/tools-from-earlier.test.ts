import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planOf } from '../../testing/agent-plans';
import { startMain, type MainHarness } from '../../testing/main-harness';
import type { ScriptedReply } from '../../testing/scripted-reply';
import { must } from '../../testing/stored-session';
import { calls, text } from '../../testing/workflow-harness';

const peer = resolve('src/testing/mcp-peers/changing-server.mjs');
const description = 'Weighs a thing on the scales of the harbour.';
let folder: string;
const inFolder = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patina-earlier-'));
  for (const name of ['home/mcp', 'project/.patina']) mkdirSync(inFolder(name), { recursive: true });
  writeFileSync(inFolder('says.json'), JSON.stringify({ description, field: 'thing' }));
  // Runs in the server's process before the server itself.
  const count = `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(inFolder('starts'))}, 'start\\n');\n`;
  writeFileSync(inFolder('count.mjs'), count);
  const args = ['--import', pathToFileURL(inFolder('count.mjs')).href, peer, inFolder('says.json')];
  const mcpServers = { scales: { command: process.execPath, args, trusted: true } };
  writeFileSync(inFolder('home/mcp/registry.json'), JSON.stringify({ mcpServers }));
  writeFileSync(
    inFolder('project/.patina/capabilities.json'),
    JSON.stringify({ allow: ['mcp://scales.*'], deny: [], write: [], rateLimits: {} }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The number of server starts, as counted by the server process. */
const starts = (): number =>
  existsSync(inFolder('starts')) ? readFileSync(inFolder('starts'), 'utf8').split('\n').length - 1 : 0;

/**
 * The replies for a goal: a plan with one step for the model. Each goal needs its own plan, so none is
 * cached.
 */
const think = (thing: string): readonly ScriptedReply[] => {
  const step = { id: 'think', title: 'Think', kind: 'llm', prompt: `Is ${thing} heavy?` };
  const plan = planOf([step], '{{think.text}}');
  return [{ toolCalls: [{ name: 'submit_plan', arguments: plan }] }, text('It is not heavy.')];
};

/** Starts and stops the whole of main once over the same home folder. */
async function inOneStart(
  replies: readonly ScriptedReply[],
  doIt: (harness: MainHarness) => Promise<void>,
): Promise<void> {
  const harness = await startMain({ replies, at: inFolder('home'), project: inFolder('project') });
  try {
    await doIt(harness);
  } finally {
    await harness.close();
  }
}

async function planOn(harness: MainHarness, thing: string): Promise<void> {
  const { run } = await harness.say(`say whether ${thing} is heavy on the scales`, { runMode: 'agent' });
  expect(run?.status).toBe('done');
  expect(harness.model.chats()[0]?.body.toString()).toContain(description);
}

it('[MCP-schema-cache] a second start plans with the tools of the first, and starts their server at the first call', async () => {
  await inOneStart(think('a coin'), (harness) => planOn(harness, 'a coin'));
  expect(starts()).toBe(1);
  const call = calls('scales__weigh', { thing: 'a fish' });
  await inOneStart([...think('a fish'), call, text('It is light.')], async (harness) => {
    must(harness.app.settings.patch({ toolsInAsk: true }));
    await planOn(harness, 'a fish');
    expect(starts()).toBe(1);
    await harness.say('weigh it');
    expect(harness.model.chats().at(-1)?.body.toString()).toContain('It weighs 7 grams.');
    expect(starts()).toBe(2);
  });
}, 60_000);

it('[MCP-schema-cache] [AGP-pin-changed] a tool that changed back is not blocked by the cached list', async () => {
  const weigh = [calls('scales__weigh', { thing: 'a fish' }), text('I have looked.')];
  const said = async (words: string): Promise<string> => {
    writeFileSync(inFolder('says.json'), JSON.stringify({ description: words, field: 'thing' }));
    let told = '';
    await inOneStart(weigh, async (harness) => {
      must(harness.app.settings.patch({ toolsInAsk: true }));
      await harness.say('weigh it');
      told = harness.model.chats().at(-1)?.body.toString() ?? '';
    });
    return told;
  };
  expect(await said(description)).toContain('It weighs 7 grams.');
  expect(await said('Something else.')).toContain('TOOL_CHANGED');
  expect(await said(description)).toContain('It weighs 7 grams.');
}, 60_000);
