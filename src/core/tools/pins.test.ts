import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
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

describe('the change of a pinned tool', () => {
  const [uri, later] = ['mcp://shop.buy', { description: 'Sells.' }];
  const full = err(appError('HOST', 'STORAGE', 'Full.'));

  it('is a difference in words, with the lines around it', () => {
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define());
    toolPins.enforce(define(later));
    const [change] = must(toolPins.changes());
    expect(change).toEqual({ uri, hash: define(later)[0]?.hash, lines: change?.lines });
    expect(change?.lines).toEqual([
      { kind: 'same', text: '{' },
      { kind: 'removed', text: '  "description": "Buys.",' },
      { kind: 'added', text: '  "description": "Sells.",' },
      { kind: 'same', text: '  "inputSchema": {' },
      { kind: 'same', text: '    "type": "object"' },
      { kind: 'same', text: '  }' },
    ]);
  });

  it('is shown in full when it is too large to compare', () => {
    const many = (word: string) => ({
      inputSchema: {
        type: 'object' as const,
        required: Array.from({ length: 1_500 }, (_, at) => `${word}${at}`),
      },
    });
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define(many('a')));
    toolPins.enforce(define(many('b')));
    const [change] = must(toolPins.changes());
    const kinds = new Set(change?.lines.map(({ kind }) => kind));
    expect([...kinds]).toEqual(['removed', 'added']);
    expect(change?.lines.slice(0, 2)).toEqual([
      { kind: 'removed', text: '{' },
      { kind: 'removed', text: '  "description": "Buys.",' },
    ]);
  });

  it('that was reviewed and left blocked is not asked about again, unlike the next one', () => {
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define());
    toolPins.enforce(define(later));
    const hash = must(toolPins.changes())[0]?.hash ?? '';
    expect(toolPins.block(uri, 'other')).toMatchObject({ error: { kind: 'HOST', code: 'STATE' } });
    expect(toolPins.block('mcp://shop.none', hash)).toMatchObject({ error: { code: 'STATE' } });
    expect(must(toolPins.changes())[0]).not.toHaveProperty('keptBlocked');
    must(toolPins.block(uri, hash));
    expect(must(toolPins.changes())).toMatchObject([{ hash, keptBlocked: true }]);
    expect(verdictOf(must(toolPins.enforce(define(later))))).toBe('TOOL_CHANGED');
    toolPins.enforce(define({ description: 'Burns.' }));
    expect(must(toolPins.changes())[0]).not.toHaveProperty('keptBlocked');
  });

  it('is accepted only if there is one', () => {
    const toolPins = createToolPins(memoryPins());
    toolPins.enforce(define());
    const hash = define()[0]?.hash ?? '';
    expect(toolPins.hashOf(uri)).toBe(hash);
    expect(toolPins.hashOf('mcp://shop.none')).toBeUndefined();
    for (const name of [uri, 'mcp://shop.none'])
      expect(toolPins.accept(name, hash)).toMatchObject({
        error: {
          ...{ kind: 'HOST', code: 'STATE', message: 'That tool has no such pending change.' },
          hint: 'List the tools again and review the current change.',
        },
      });
    toolPins.enforce(define(later));
    const change = must(toolPins.changes())[0];
    expect(must(toolPins.accept(uri, change?.hash ?? ''))).toEqual(change);
    expect(toolPins.hashOf(uri)).toBe(change?.hash);
    expect(must(toolPins.changes())).toEqual([]);
  });

  it('leaves the schema and annotations of the pinned definition in use', () => {
    const toolPins = createToolPins(memoryPins());
    const first = { outputSchema: { type: 'object' as const }, annotations: { title: 'Buy' } };
    toolPins.enforce(define(first));
    const [held] = must(toolPins.enforce(define({ annotations: { title: 'Other' } })));
    expect(held).toMatchObject({
      changed: true,
      outputSchema: { type: 'object' },
      annotations: { title: 'Buy' },
    });
    toolPins.forget('shop');
    toolPins.enforce(define());
    const [bare] = must(toolPins.enforce(define(first)));
    expect(bare).toMatchObject({ changed: true });
    expect(bare).not.toHaveProperty('outputSchema');
    expect(bare).not.toHaveProperty('annotations');
  });

  it('is stored once, and every failure of the store is reported', () => {
    const [puts, pins] = [[] as ToolPin[][], memoryPins()];
    const counting = {
      ...pins,
      put: (added: readonly ToolPin[]) => (puts.push([...added]), pins.put(added)),
    };
    const toolPins = createToolPins(counting);
    for (const more of [{}, {}, later, later, {}, {}]) toolPins.enforce(define(more));
    expect(puts.map((added) => added.map(({ seen }) => seen?.description))).toEqual([
      ...[[undefined], ['Sells.'], [undefined]],
    ]);
    const hash = define(later)[0]?.hash ?? '';
    toolPins.enforce(define(later));
    const readOnly = createToolPins({ ...pins, put: () => full });
    expect(readOnly.enforce(define({ description: 'Burns.' }))).toEqual(full);
    expect(readOnly.accept(uri, hash)).toEqual(full);
    expect(readOnly.block(uri, hash)).toEqual(full);
    const unreadable = createToolPins({ ...pins, list: () => full });
    expect(unreadable.enforce(define())).toEqual(full);
    expect(unreadable.changes()).toEqual(full);
    expect(unreadable.hashOf(uri)).toBeUndefined();
    // Nothing needs a pin here.
    const bundled = define({}, 'project');
    expect(unreadable.enforce(bundled)).toEqual(ok(bundled));
    expect(unreadable.enforce([...bundled, ...define()])).toEqual(full);
    const unhashed = define().map(({ hash: _hash, ...rest }) => rest);
    expect(unreadable.enforce(unhashed)).toEqual(ok(unhashed));
  });
});
