import { describe, expect, it } from 'vitest';
import { createMemoryTexts } from '../../testing/memory-texts';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createEarlierPlans, planKey } from './earlier-plans';

const tool = (name: string, more: object = {}) => ({
  uri: `mcp://box.${name}`,
  server: 'box',
  tool: name,
  serverVersion: '1',
  description: 'd',
  inputSchema: { type: 'object' },
  readOnly: true,
  ...more,
});
const request = { goal: 'Do it', project: '/p', planningText: () => 'blocks' };
const tools = [tool('a'), tool('b')];
const said = [{ role: 'user', content: 'Hi' }] as const;
const key = planKey(request, tools, said);

describe('the key of a plan', () => {
  it('stays the same for the same goal, whatever the order of the tools', () => {
    expect(planKey({ ...request, goal: '  Do it \n' }, [tool('b'), tool('a')], [...said])).toBe(key);
    expect(planKey({ ...request, planningText: () => '' }, [], [])).toBe(
      planKey({ goal: 'Do it', project: '/p' }, [], []),
    );
  });

  it.each<readonly [what: string, changed: string]>([
    ['goal', planKey({ ...request, goal: 'Do that' }, tools, said)],
    ['project', planKey({ ...request, project: '/q' }, tools, said)],
    ['blocks', planKey({ ...request, planningText: () => 'others' }, tools, said)],
    ['effort', planKey({ ...request, effort: 'high' }, tools, said)],
    ['conversation', planKey(request, tools, [])],
    ['words of the conversation', planKey(request, tools, [{ role: 'user', content: 'Ho' }])],
    ['speaker', planKey(request, tools, [{ role: 'assistant', content: 'Hi' }])],
    ['tools', planKey(request, tools.slice(1), said)],
    ...[
      { serverVersion: '2' },
      { description: 'e' },
      { inputSchema: {} },
      { outputSchema: {} },
      { readOnly: false },
      { uri: 'mcp://box.c' },
    ].map((more): [string, string] => [
      Object.keys(more).join(),
      planKey(request, [tool('a', more), tool('b')], said),
    ]),
  ])('changes with the %s', (_what, changed) => {
    expect(changed).not.toBe(key);
  });
});

describe('earlier plans', () => {
  it('are found under their key, unless what is stored is no plan any more', () => {
    const texts = createMemoryTexts();
    const plans = createEarlierPlans(texts);
    const plan = planOf([scriptNode('a', 'return {};')]);
    expect(plans.find('k')).toBeNull();
    plans.store('k', plan);
    expect(plans.find('k')).toEqual(plan);
    expect(plans.find('other')).toBeNull();
    for (const damaged of ['{', '{}']) {
      texts.put('k', damaged);
      expect(plans.find('k')).toBeNull();
    }
  });
});
