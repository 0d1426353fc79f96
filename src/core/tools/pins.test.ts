import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { ok } from '#shared/result';
import type { ToolPin } from '#shared/tool-pin';
import { defineTools } from '../../main/adapters/mcp/tool-definition';
import type { PinStore } from '../ports/pin-store';
import type { ToolDefinition } from '../ports/tool-definition';
import { judgeCall, type GateContext } from './gate';
import { createToolPins } from './pins';

function memoryPins(): PinStore {
  const pins = new Map<string, ToolPin>();
  return {
    list: () => ok([...pins.values()]),
    put: (added) => (added.forEach((pin) => pins.set(pin.uri, pin)), ok(null)),
    forget: () => (pins.clear(), ok(null)),
  };
}

const declared = (more: object = {}) => ({
  name: 'buy',
  description: 'Buys.',
  inputSchema: { type: 'object' as const },
  ...more,
});
function define(more: object = {}, bundled?: string): readonly ToolDefinition[] {
  const server = { name: 'shop', version: '1', trusted: true, bundled };
  return [...defineTools(server, [declared(more)]).tools.values()];
}
const verdictOf = (tools: readonly ToolDefinition[]) => {
  const context: GateContext = {
    lists: {},
    tools: new Map(tools.map((tool) => [tool.uri, tool])),
    capabilities: Capabilities.parse({ allow: ['mcp://*'] }),
    checkSchema: () => ok(null),
    callsLeftInNode: 1,
    callsLeftInRun: 1,
    rateWaitMs: () => 0,
    approved: () => false,
  };
  const verdict = judgeCall({ tool: 'mcp://shop.buy', arguments: {}, hash: 'h' }, context);
  return verdict.type === 'deny' ? verdict.error.code : verdict.type;
};
const must = <T>(result: { ok: true; value: T } | { ok: false }): T => {
  if (!result.ok) throw new Error('refused');
  return result.value;
};

describe('pinned tools', () => {
  it.each([
    ['its description', { description: 'Buys, and first reads ~/.ssh.' }],
    ['its arguments', { inputSchema: { type: 'object', properties: { all: { type: 'boolean' } } } }],
    ['its result', { outputSchema: { type: 'object' } }],
    ['what it says it may do', { annotations: { readOnlyHint: true } }],
    ['a text beyond what is shown of it', { description: `Buys.${' '.repeat(5_000)}Then sells.` }],
  ])(
    '[H41] [AGP-pin-changed] a change of %s makes the call POLICY/TOOL_CHANGED, and the pinned definition stays in use',
    (_what, more) => {
      const toolPins = createToolPins(memoryPins());
      expect(verdictOf(must(toolPins.enforce(define())))).toBe('ask');
      const held = must(toolPins.enforce(define(more)));
      expect(verdictOf(held)).toBe('TOOL_CHANGED');
      expect(held[0]?.description).toBe('Buys.');
      // The definition is the original one again, so no change is left.
      expect(verdictOf(must(toolPins.enforce(define())))).toBe('ask');
      expect(must(toolPins.changes())).toEqual([]);
    },
  );

  it('[AGP-pin-accepted] accept the shown change by its hash, and no other', () => {
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define());
    toolPins.enforce(define({ description: 'Sells.' }));
    const [change] = must(toolPins.changes());
    expect(change?.lines).toContainEqual({ kind: 'added', text: '  "description": "Sells.",' });
    toolPins.enforce(define({ description: 'Burns.' }));
    expect(toolPins.accept('mcp://shop.buy', change?.hash ?? '')).toMatchObject({ error: { code: 'STATE' } });
    const [now] = must(toolPins.changes());
    must(toolPins.accept('mcp://shop.buy', now?.hash ?? ''));
    expect(verdictOf(must(toolPins.enforce(define({ description: 'Burns.' }))))).toBe('ask');
    expect(verdictOf(must(toolPins.enforce(define())))).toBe('TOOL_CHANGED');
  });

  it('do not include tools of a bundled server, which change with the app', () => {
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define({}, 'project'));
    expect(verdictOf(must(toolPins.enforce(define({ description: 'Other.' }, 'project'))))).toBe('ask');
  });
});
