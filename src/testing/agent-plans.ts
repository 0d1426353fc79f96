import { appError } from '#shared/app-error';
import { Plan } from '#shared/plan';
import { err, ok } from '#shared/result';
import { createAgentHarness, type AgentHarnessOptions } from './agent-harness';
import { createInMemoryTools, type InMemoryTool } from './in-memory-tools';

/** Builds a plan of these nodes. */
export const planOf = (nodes: readonly object[], answer: unknown = 'Done.'): Plan =>
  Plan.parse({ goal: 'Do it', nodes, answer });

export const scriptNode = (id: string, code: string, more: object = {}) => ({
  id,
  title: id,
  kind: 'script',
  code,
  ...more,
});

export const forever = (): Promise<never> => new Promise<never>(() => undefined);

/** A server with one tool for each behaviour: read, write, failure, no response. */
export const boxTools: Record<string, InMemoryTool> = {
  'mcp://box.get': { call: ({ n }) => ok({ value: Number(n) * 2 }) },
  'mcp://box.put': { readOnly: false, call: () => ok('stored') },
  'mcp://box.fail': { call: () => err(appError('TOOL', 'FAILED', 'The box is shut.')) },
  'mcp://box.hang': { call: forever },
};

export const boxHarness = (more: Partial<AgentHarnessOptions> = {}) =>
  createAgentHarness({ tools: createInMemoryTools(boxTools), ...more });

export const typesOf = (facts: readonly { readonly type: string }[]): readonly string[] =>
  facts.map(({ type }) => type);

/** Reads 4, doubles it, adds one. */
export const twoSteps = planOf(
  [
    scriptNode(
      'first',
      'const { value } = await tools.box.get({ n: params.n }); return { summary: `got ${value}`, state: { value } };',
      { params: { n: 4 } },
    ),
    scriptNode('second', 'return { summary: "added", state: { sum: inputs.first.value + 1 } };', {
      deps: ['first'],
    }),
  ],
  'The sum is {{second.sum}}.',
);
