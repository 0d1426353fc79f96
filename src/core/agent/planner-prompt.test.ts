import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { Capabilities } from '#shared/capabilities';
import { err, ok } from '#shared/result';
import type { PolicyFiles } from '../ports/policy';
import type { ToolDefinition } from '../ports/tool-definition';
import { createMemoryTexts } from '../../testing/memory-texts';
import { createObservedTypes } from './observed-types';
import { plannerPrompt, type PlannerPromptDeps } from './planner-prompt';

const tool = (name: string): ToolDefinition => ({
  ...{ uri: `mcp://box.${name}`, server: 'box', tool: name, serverVersion: '1', readOnly: true },
  ...{ description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } },
});

function depsOf(more: Partial<PlannerPromptDeps> = {}): PlannerPromptDeps {
  const capabilities = Capabilities.parse({ allow: ['mcp://box.get', 'mcp://box.find'] });
  const listing = { tools: ['get', 'put', 'find'].map(tool) };
  return {
    policy: { capabilities: () => ok(capabilities) } as unknown as PolicyFiles,
    observed: createObservedTypes(createMemoryTexts()),
    toolCalls: { list: () => Promise.resolve(ok(listing)) } as unknown as PlannerPromptDeps['toolCalls'],
    countTokens: (text) => Promise.resolve(text.length / 4),
    ...more,
  };
}

it('[STG-prompt] the planner is told of the allowed tools that no list excludes, in the words of the workspace', async () => {
  const lists = { modeTools: ['mcp://box.get', 'mcp://box.put'] };
  const describe = (uri: string) => (uri === 'mcp://box.get' ? 'Reads a box.' : undefined);
  const prompt = await plannerPrompt(depsOf(), '/srv/project', { lists, describe });
  if (!prompt.ok) throw new Error(prompt.error.message);
  const text = prompt.value.blocks.map((block) => block.text).join('\n');
  expect(text).toContain('.get({}): json // Reads a box.');
  expect(text).not.toMatch(/\.(put|find)\(/);
  expect(prompt.value.tools.map(({ name }) => name)).toEqual(['submit_plan', 'find_tools', 'read_result']);
  expect(prompt.value.listed).toEqual([
    { uri: 'mcp://box.get', allowed: true },
    { uri: 'mcp://box.put', allowed: false },
    { uri: 'mcp://box.find', allowed: true },
  ]);
  const all = await plannerPrompt(depsOf(), '/srv/project', { lists: {} });
  expect(all.ok && all.value.blocks.map((block) => block.text).join('\n')).toContain(
    '.find({}): json // Does find.',
  );
});

it('a denied tool is not shown to the planner; one that is denied for some arguments is', async () => {
  const deny = ['mcp://box.find', 'mcp://box.put?path=/etc/*'];
  const capabilities = Capabilities.parse({ allow: ['mcp://box.*'], deny });
  const policy = { capabilities: () => ok(capabilities) } as unknown as PolicyFiles;
  const prompt = await plannerPrompt(depsOf({ policy }), '/srv/project', { lists: {} });
  if (!prompt.ok) throw new Error(prompt.error.message);
  expect(prompt.value.listed.map(({ uri, allowed }) => [uri, allowed])).toEqual([
    ['mcp://box.get', true],
    ['mcp://box.put', true],
    ['mcp://box.find', false],
  ]);
  expect(prompt.value.blocks.map(({ source }) => source)).toEqual(['planner: rules', 'planner: tools']);
});

it('[STG-prompt] there is no prompt where the policy or the tools cannot be read', async () => {
  const error = appError('CONFIG', 'INVALID', 'Broken.');
  const broken = { policy: { capabilities: () => err(error) } as unknown as PolicyFiles };
  expect(await plannerPrompt(depsOf(broken), '/', { lists: {} })).toEqual({ ok: false, error });
  const toolCalls = { list: () => Promise.resolve(err(error)) };
  expect(await plannerPrompt(depsOf({ toolCalls }), '/', { lists: {} })).toEqual({ ok: false, error });
});
