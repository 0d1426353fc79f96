import { describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import { Capabilities } from '#shared/capabilities';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { ToolDefinition } from '../ports/tool-definition';
import { callRecord, recordOutcome, truncatePreview, utf8Length } from './call-record';
import { canonicalHash } from './canonical-hash';
import { builtInScope } from './call-scope';
import { createRunWrites } from './node-writes';
import { createTaintTracker } from './taint-tracker';

const box = (tool: string, more: Partial<ToolDefinition> = {}): [string, ToolDefinition] => {
  const uri = `mcp://box.${tool}`;
  const described = { uri, server: 'box', tool, serverVersion: '1', description: '', inputSchema: {} };
  return [uri, { ...described, readOnly: false, ...more }];
};
const tools = new Map([
  box('get', { readOnly: true, trusted: true }),
  box('put'),
  box('write_file', { bundled: 'filesystem' }),
  box('edit_file', { bundled: 'filesystem' }),
  box('delete_file', { bundled: 'project' }),
]);
const gate = {
  lists: {},
  tools,
  capabilities: Capabilities.parse({ allow: ['mcp://*'] }),
  checkSchema: () => ok(null),
  callsLeftInNode: 1,
  callsLeftInRun: 1,
  rateWaitMs: () => 0,
  approved: () => false,
};

describe('a preview', () => {
  it.each([
    ['abcd', 4, 'abcd'],
    ['abcde', 4, 'abc…'],
    ['', 4, ''],
    // A character of two code units is kept whole or left out.
    ['ab😀de', 4, 'ab…'],
    ['a😀cde', 4, 'a😀…'],
  ])('of %j with at most %d code units is %j', (text, length, expected) => {
    expect(truncatePreview(text, length)).toBe(expected);
  });

  it('has at most 600 code units by default', () => {
    expect(truncatePreview('x'.repeat(600))).toBe('x'.repeat(600));
    expect(truncatePreview('x'.repeat(601))).toBe(`${'x'.repeat(599)}…`);
  });
});

it.each([
  '',
  'plain',
  '\x7f',
  '\u{10000}',
  '\u{10ffff}',
  '\x80',
  'é',
  '\u07ff',
  '\u0800',
  '€',
  '\ud7ff',
  '\ue000',
  '\uffff',
  'a😀b',
  '😀😀',
])('the UTF-8 length of %j is that of its encoding', (text) => {
  expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
});

describe('the record of a call', () => {
  const call = { callId: 'c1', tool: 'mcp://box.get', arguments: { n: 1 }, ms: 7 };

  it('has the result as text with its size in bytes', () => {
    expect(callRecord(call, ok('grün'))).toEqual({
      callId: 'c1',
      tool: 'mcp://box.get',
      argumentsPreview: '{"n":1}',
      ms: 7,
      outcome: 'done',
      bytes: 5,
      preview: 'grün',
    });
    expect(callRecord(call, ok({ a: [1] }))).toMatchObject({ bytes: 9, preview: '{"a":[1]}' });
  });

  it('lists attachments and says whether the cache or a saved permission was used', () => {
    const image = { type: 'image', mimeType: 'image/png' };
    expect(callRecord(call, ok({ attachments: [image] })).attachments).toEqual([image]);
    const reach = { kind: 'always' as const, project: '/p' };
    const grant = { id: 'g', decision: 'allow' as const, tool: call.tool, where: {}, at: 0, reach };
    const used = callRecord({ ...call, allowedBy: grant, cached: true }, ok(1));
    expect(used).toMatchObject({ allowedBy: grant, cached: true });
    expect(callRecord({ ...call, cached: false }, ok(1))).not.toHaveProperty('cached');
  });

  it('has the error, and says when the outcome is unknown', () => {
    const failed = appError('TOOL', 'FAILED', 'No.');
    expect(callRecord(call, err(failed))).toMatchObject({ outcome: 'failed', bytes: 0, error: failed });
    const lost = { ...failed, outcome: 'unknown' as const };
    expect(callRecord(call, err(lost))).toMatchObject({ outcome: 'unknown', error: lost });
  });
});

describe('an ended call', () => {
  function setUp() {
    const [soon, now]: [SessionFact[], SessionFact[][]] = [[], []];
    const breaches: AppError[] = [];
    const remembered: Json[] = [];
    const origins = createTaintTracker([]);
    const runWrites = createRunWrites();
    const facts = {
      add: (fact: SessionFact) => void soon.push(fact),
      record: (batch: readonly SessionFact[]) => now.push([...batch]) > 0,
      flush: () => true,
      close: () => undefined,
    };
    const flows = { onRead: (_tool: string, value: Json) => void remembered.push(value) };
    const scope = {
      ...builtInScope({ sessionId: 's', turn: 0, lists: {} }),
      recorder: {
        ...{ turn: 3, runId: 'r', nodeId: 'n', facts, origins, writes: runWrites.attempt('n') },
        flows: flows as never,
      },
      budget: { onBreach: (error: AppError) => void breaches.push(error) } as never,
    };
    const end = (tool: string, result: Result<Json>, more: object = {}): void => {
      const ended = { tool: `mcp://box.${tool}`, arguments: { path: 'a' }, result, ...more };
      recordOutcome(scope, gate, ended, callRecord({ callId: 'c', ms: 0, ...ended }, result));
    };
    return { end, soon, now, breaches, remembered, origins, requested: () => runWrites.requested('n') };
  }

  it('of a read is recorded with others, and without its whole result', () => {
    const { end, soon, now } = setUp();
    end('get', ok('x'));
    expect(soon).toEqual([
      {
        type: 'tool-called',
        turn: 3,
        runId: 'r',
        nodeId: 'n',
        call: expect.objectContaining({ callId: 'c', outcome: 'done' }) as unknown,
      },
    ]);
    expect(now).toEqual([]);
  });

  it('of a write is recorded at once, with its result and what it left', () => {
    const { end, soon, now } = setUp();
    const after = [{ kind: 'missing' as const, path: 'a' }];
    end('put', ok({ id: 1 }), { after });
    expect(now).toEqual([[expect.objectContaining({ type: 'tool-called', result: { id: 1 }, after })]]);
    expect(soon).toEqual([]);
  });

  it('of a write keeps a result of up to 64 KiB and no longer one, and none of a failure', () => {
    const { end, now } = setUp();
    end('put', ok('x'.repeat(65_536)));
    end('put', ok('x'.repeat(65_537)));
    end('put', err(appError('TOOL', 'FAILED', 'No.')));
    expect(now.map(([fact]) => fact && 'result' in fact)).toEqual([true, false, false]);
    expect(now.map(([fact]) => fact && 'after' in fact)).toEqual([false, false, false]);
  });

  it('that a layer refused is a refused write of the node, with the layer and the code', () => {
    const { end, now, requested } = setUp();
    const refusal = appError('POLICY', 'APPROVAL_DENIED', 'No.', { layer: 'approval' });
    end('put', err(refusal), { answered: true });
    end('put', err(refusal));
    const refused = {
      type: 'write-refused',
      turn: 3,
      runId: 'r',
      nodeId: 'n',
      callId: 'c',
      tool: 'mcp://box.put',
    };
    const why = {
      target: 'a',
      layer: 'approval',
      code: 'POLICY/APPROVAL_DENIED',
      hash: canonicalHash({ tool: 'mcp://box.put', arguments: { path: 'a' } }),
    };
    expect(now.map(([, fact]) => fact)).toEqual([
      { ...refused, ...why, answered: true },
      { ...refused, ...why },
    ]);
    expect(requested()).toEqual({ all: 2, refused: 2 });
  });

  it.each([
    ['put', appError('TOOL', 'FAILED', 'No.'), 'failed without a layer'],
    [
      'unknown',
      appError('TOOL', 'NOT_FOUND', 'No.', { layer: 'binding' }),
      'names a tool that no server offers',
    ],
  ])('of %s is no refused write when it %s', (tool, error) => {
    const { end, now, requested } = setUp();
    end(tool, err(error));
    expect(now.map((batch) => batch.map(({ type }) => type))).toEqual([['tool-called']]);
    expect(requested()).toEqual({ all: 0, refused: 0 });
  });

  it('of a read that a layer refused is no refused write', () => {
    const { end, soon, now } = setUp();
    end('get', err(appError('POLICY', 'CAPABILITY_DENIED', 'No.', { layer: 'capability' })));
    expect([soon.length, now.length]).toEqual([1, 0]);
  });

  it('makes its tool a source of the node, trusted only if its server is', () => {
    const { end, origins, remembered } = setUp();
    end('get', ok({ text: 'x' }));
    end('put', ok('y'));
    end('put', err(appError('TOOL', 'FAILED', 'Words of the server.')));
    expect(origins.all()).toEqual([
      { source: 'mcp://box.get', nodeId: 'n', trusted: true },
      { source: 'mcp://box.put', nodeId: 'n', trusted: false },
    ]);
    expect(remembered).toEqual([{ text: 'x' }, 'y', 'Words of the server.']);
  });

  it.each([
    ['put', err(appError('POLICY', 'APPROVAL_DENIED', 'No.')), false],
    ['put', err(appError('HOST', 'CANCELLED', 'No.')), false],
    ['write_file', ok('Wrote a.'), false],
    ['delete_file', ok('Deleted a.'), false],
    ['write_file', err(appError('TOOL', 'FAILED', 'No.')), true],
    // The result of an edit contains text of the file.
    ['edit_file', ok('- old\n+ new'), true],
    ['unknown', ok('x'), true],
  ])('of %s is a source only if text of a server came back (%#)', (tool, result, isSource) => {
    const { end, origins } = setUp();
    end(tool, result);
    expect(origins.all().length > 0).toBe(isSource);
  });

  it('that exceeds a budget is reported to the code that runs the node', () => {
    const { end, breaches } = setUp();
    const spent = appError('BUDGET', 'TOOL_CALLS', 'Limit.', { layer: 'budget' });
    end('get', err(appError('TOOL', 'FAILED', 'No.')));
    end('get', err(spent));
    expect(breaches).toEqual([spent]);
  });
});
