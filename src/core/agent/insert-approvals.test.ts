import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import type { ToolListing } from '../tools/call-scope';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { insertApprovals, withoutApprovals } from './insert-approvals';

const tool = (name: string, readOnly: boolean) => ({
  uri: `mcp://box.${name}`,
  server: 'box',
  tool: name,
  serverVersion: '1',
  description: '',
  inputSchema: { type: 'object' },
  readOnly,
});
const listing: ToolListing = {
  tools: [tool('get', true), tool('put', false), tool('cut', false)],
  servers: [],
};
const capabilities = Capabilities.parse({ allow: ['mcp://*'] });

/** A plan whose steps have these tools, with its approval nodes. */
function inserted(steps: Readonly<Record<string, readonly string[]>>, earlier: readonly string[] = []) {
  const nodes = Object.keys(steps).map((id) => scriptNode(id, 'return {};', { title: `Do ${id}` }));
  const plan = planOf(nodes);
  const toolsOf = new Map(
    Object.entries(steps).map(([id, names]) => [id, names.map((name) => `mcp://box.${name}`)]),
  );
  return insertApprovals({ plan, order: plan.nodes, toolsOf }, listing, capabilities, earlier);
}
const idsOf = (plan: ReturnType<typeof inserted>) => plan.plan.nodes.map(({ id }) => id);

describe('the approval nodes of a plan', () => {
  it('stand before each step that may write, which waits for them', () => {
    const { plan, approvalNodeOf } = inserted({ a: ['get'], b: ['get', 'put', 'cut'], c: [] });
    expect(plan.nodes).toMatchObject([
      { id: 'a', deps: [] },
      {
        id: 'approve_b',
        title: 'Approve: Do b',
        kind: 'approval',
        deps: [],
        prompt: 'Shows each call of mcp://box.put, mcp://box.cut with its exact arguments before it is made.',
      },
      { id: 'b', deps: ['approve_b'] },
      { id: 'c', deps: [] },
    ]);
    expect([...(approvalNodeOf ?? [])]).toEqual([['b', 'approve_b']]);
  });

  it('are none when nothing writes', () => {
    const checked = inserted({ a: ['get'] });
    expect(idsOf(checked)).toEqual(['a']);
    expect(checked).not.toHaveProperty('approvalNodeOf');
  });

  it('take no id of the plan or of an earlier stage', () => {
    const taken = { b: ['put'], approve_b: ['put'], approve_b_2: [] };
    expect(idsOf(inserted(taken, ['approve_b_3']))).toEqual([
      'approve_b_4',
      'b',
      'approve_approve_b',
      'approve_b',
      'approve_b_2',
    ]);
    expect(idsOf(inserted({ b: ['put'] }, ['approve_b']))).toEqual(['approve_b_2', 'b']);
  });

  it('can be taken out again', () => {
    const plan = planOf([scriptNode('a', 'return {};'), scriptNode('b', 'return {};', { deps: ['a'] })]);
    const toolsOf = new Map([['b', ['mcp://box.put']]]);
    const { plan: shown } = insertApprovals({ plan, order: plan.nodes, toolsOf }, listing, capabilities);
    expect(shown.nodes.map(({ deps }) => deps)).toEqual([[], ['a'], ['a', 'approve_b']]);
    expect(withoutApprovals(shown, { approve_b: 'b' })).toEqual(plan);
    expect(withoutApprovals(plan, {})).toEqual(plan);
  });
});
