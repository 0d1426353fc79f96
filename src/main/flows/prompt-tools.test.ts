import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let projectServer: string;
let project: string;
let harness: MainHarness;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-prompt-tools-'));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const denial = /cannot read files|have no tools|you cannot|reach the network/i;
const hostToolName = /\b(?:agent_[a-z_]+|request_user_approval)\b/g;

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** The system message of a request and the names of its tools. */
function partsOf({ messages, tools = [] }: Sent) {
  const words = messages.flatMap(({ role, content }) => (role === 'system' ? [JSON.stringify(content)] : []));
  return { text: words.join('\n'), names: tools.map((tool) => tool.function.name) };
}

/** No sentence denies a tool that is sent, and none names a tool that is not. */
function expectTrue({ text, names }: { readonly text: string; readonly names: readonly string[] }): void {
  const reaches = names.some((name) => name.includes('__') || name === 'submit_plan');
  if (reaches) expect(text).not.toMatch(denial);
  const named = new Set(text.match(hostToolName));
  expect([...named].filter((name) => !names.includes(name))).toEqual([]);
}

const requests = () => harness.model.chats().map(({ json }) => partsOf(json as unknown as Sent));

describe('[PROMPT-tools] the prompt matches the tools of the request', () => {
  it('in every mode, with tools in Ask on and off, with and without a catalog, in a reply and a planning call', async () => {
    harness = await startMain({ project, projectServer });
    const { sessionId, app } = harness;
    for (const mode of ['general', 'ddr_authoring', 'workflow_authoring']) {
      for (const toolCatalog of ['default', 'reading']) {
        for (const tools of [false, true]) {
          for (const runMode of ['ask', 'agent'] as const) {
            const question = { sessionId, mode, runMode, tools, workspace: { toolCatalog } };
            const preview = must(await app.previewPrompt(question));
            const names = preview.tools.map(({ name }) => name);
            const text = preview.blocks.map((block) => block.text).join('\n');
            expectTrue({ text, names });
            const nothingReached = runMode === 'ask' && !tools;
            expect([mode, toolCatalog, tools, runMode, denial.test(text)]).toEqual([
              ...[mode, toolCatalog, tools, runMode, nothingReached],
            ]);
          }
        }
      }
    }
  }, 120_000);

  it('in each request of a running workflow, which may read files', async () => {
    const replies = [{ text: 'Looked.' }, { text: 'Looked again.' }];
    harness = await startMain({ project, projectServer, replies });
    await harness.say('use workflow: diagnose_host');
    await harness.say('go on');
    expect(harness.state().workflow?.definition.WorkflowId).toBe('diagnose_host');
    expect(requests().length).toBeGreaterThan(0);
    for (const request of requests()) {
      expect(request.names).toContain('project__list_files');
      expectTrue(request);
    }
  }, 60_000);

  it('[AGN14-6-2-switching] in the planning call, a step, and the answer of a run: without tools no text suggests switching modes', async () => {
    const nodes = [{ id: 'a', kind: 'llm', title: 'A', prompt: 'Say one word.' }];
    const plan = { nodes, answer: { llm: true } };
    harness = await startMain({
      project,
      projectServer,
      replies: [
        { toolCalls: [{ name: 'submit_plan', arguments: { nodes: [], answer: 1 } }] },
        { toolCalls: [{ name: 'submit_plan', arguments: plan }] },
        { text: 'Word.' },
        { text: 'Done.' },
      ],
    });
    await harness.say('say one word', { runMode: 'agent' });
    const [planning, repair, ...bare] = requests();
    expect(planning?.names).toContain('agent_change_mode');
    expect(planning?.text).toContain('Mode Switching');
    expect(repair?.names).toEqual(planning?.names);
    expect(bare).toHaveLength(2);
    for (const request of requests()) expectTrue(request);
    for (const request of bare) {
      expect(request?.text).toContain('Current Mode: general');
      expect(request?.text).not.toContain('Mode Switching');
    }
  }, 60_000);
});
