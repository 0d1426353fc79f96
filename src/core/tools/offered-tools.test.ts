import { expect, it } from 'vitest';
import { isPlannerTool, linesFor, noTools, reachText } from './offered-tools';

it('a planning call offers the tools that change the mode, and no other built-in tool', () => {
  const names = ['agent_change_mode', 'agent_list_modes', 'agent_start_workflow', 'request_user_approval'];
  expect(names.filter(isPlannerTool)).toEqual(['agent_change_mode', 'agent_list_modes']);
});

it('lines that name a tool which the call does not offer are left out', () => {
  const lines = [
    'Be brief.',
    'Use agent_list_modes.',
    'Use agent_list_modes, then agent_change_mode.',
    'Ask with request_user_approval.',
    'my_agent_list is no tool.',
  ];
  const offered = (...names: string[]) =>
    linesFor({ names, reach: 'patina' }, lines).map((line) => lines.indexOf(line));
  expect(offered()).toEqual([0, 4]);
  expect(offered('agent_list_modes')).toEqual([0, 1, 4]);
  expect(offered('agent_change_mode', 'agent_list_modes')).toEqual([0, 1, 2, 4]);
  expect(offered('request_user_approval')).toEqual([0, 3, 4]);
});

it('a model is told what its tools reach, and nothing without tools', () => {
  const names = ['t'];
  expect(reachText({ names, reach: 'patina' })).toMatch(/^With the tools .* cannot read files/);
  expect(reachText({ names, reach: 'servers' })).toMatch(
    /^The tools of this request are what you can do here/,
  );
  expect(reachText({ names, reach: 'scripts' })).toBe('');
  expect(reachText({ names: [], reach: 'nothing' })).toMatch(
    /^You have no tools here: you cannot read files/,
  );
  expect(reachText({ names: [], reach: 'servers' })).toBe('');
  expect(reachText(noTools)).toBe('');
});
