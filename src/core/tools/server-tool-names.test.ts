import { expect, it } from 'vitest';
import { serverToolNames } from './server-tool-names';

it.each<[readonly string[], Readonly<Record<string, string>>]>([
  [['mcp://project.git_diff'], { project__git_diff: 'mcp://project.git_diff' }],
  [['mcp://a.b.c'], { a__b_c: 'mcp://a.b.c' }],
  [['mcp://a.b-c/ü'], { 'a__b-c__': 'mcp://a.b-c/ü' }],
  [['agent_list_modes', 'a.b', 'xmcp://a.b'], {}],
  // A name that is already taken gets a number, in the order of the full names.
  [
    ['mcp://a.b c', 'mcp://a.b.c', 'mcp://a.b/c'],
    { a__b_c: 'mcp://a.b c', a__b_c_2: 'mcp://a.b.c', a__b_c_3: 'mcp://a.b/c' },
  ],
  [['mcp://a.b', 'mcp://a.b'], { a__b: 'mcp://a.b' }],
  [[`mcp://a.${'x'.repeat(80)}`], { [`a__${'x'.repeat(57)}`]: `mcp://a.${'x'.repeat(80)}` }],
])('the server tools of %j have these function names: %j', (tools, expected) => {
  expect(Object.fromEntries(serverToolNames(tools))).toEqual(expected);
  expect(serverToolNames(tools.toReversed())).toEqual(serverToolNames(tools));
});
