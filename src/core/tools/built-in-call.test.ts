import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createManualClock } from '../../testing/manual-clock';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import { canonicalHash } from './canonical-hash';
import { builtInScope, commandScope, type CallScope } from './call-scope';
import { createToolCalls, resultText, writtenCall } from './call-tool';
import type { RecordedApprovals } from './gate';
import { createSchemaCheck } from './schema-check';

const args = { operation: 'publish' };
const call = writtenCall('agent_sample', JSON.stringify(args));
const hash = canonicalHash({ tool: call.tool, arguments: args });

/** Calls a tool whose every call needs a recorded approval; `isApproved` says whether one exists. */
async function callOnce(tool: Partial<BuiltInTool>, isApproved: boolean) {
  const approvals: BuiltInToolContext['approve'][] = [];
  const used: string[] = [];
  const sample: BuiltInTool = {
    name: call.tool,
    isToolFullyExecutedOnServer: true,
    toolUsageMetadata: 'A sample.',
    schema: { type: 'object' },
    execute: (_text, { approve }) => {
      approvals.push(approve);
      return Promise.resolve(ok('{}'));
    },
    ...tool,
  };
  const calls = createToolCalls({
    clock: createManualClock().clock,
    ids: { next: (kind) => `${kind}-1` },
    checkSchema: createSchemaCheck(),
    servers: () => Promise.reject(new Error('No server is needed.')),
  });
  calls.add([sample]);
  const recorded: RecordedApprovals = {
    needed: () => true,
    isApproved: (requested) => isApproved && requested === hash,
    use: (requested) => used.push(requested) > 0,
  };
  const scope = builtInScope({ sessionId: 's', turn: 0, lists: {}, recorded });
  const { result } = await calls.callTool(scope, call, new AbortController().signal);
  return { result, approvals, used };
}

describe('an approval that was recorded before a built-in tool’s call', () => {
  it('[T6-7-3-approval] is required and used up, and the tool does not ask again', async () => {
    expect(await callOnce({}, false)).toMatchObject({
      result: { ok: false, error: { layer: 'approval' } },
      approvals: [],
    });
    expect(await callOnce({}, true)).toMatchObject({
      result: { ok: true },
      approvals: ['all'],
      used: [hash],
    });
  });

  it('[T6-7-3-asked-once] is neither required nor used where the tool itself shows the change and asks', async () => {
    for (const isApproved of [false, true]) {
      expect(await callOnce({ asksItself: true }, isApproved)).toMatchObject({
        result: { ok: true },
        approvals: ['ask'],
        used: [],
      });
    }
  });
});

describe('a call of a built-in tool', () => {
  const signal = new AbortController().signal;
  const modelCall = builtInScope({ sessionId: 's', turn: 4, lists: {} });

  /** Calls a tool with the text of its arguments, and says what the tool was given. */
  async function callWith(text: string, scope: CallScope = modelCall, tool: Partial<BuiltInTool> = {}) {
    const given: unknown[] = [];
    const calls = createToolCalls({
      clock: createManualClock().clock,
      ids: { next: (kind) => `${kind}-1` },
      checkSchema: createSchemaCheck(),
      servers: () => Promise.reject(new Error('No server is needed.')),
    });
    calls.add([
      {
        ...{ name: 'agent_sample', isToolFullyExecutedOnServer: true, toolUsageMetadata: 'A sample.' },
        schema: { type: 'object', required: ['q'] },
        execute: (args, { signal: passed, ...context }) => {
          given.push(args, context, passed === signal);
          return Promise.resolve(ok('{"found":1}'));
        },
        ...tool,
      },
    ]);
    return { ...(await calls.callTool(scope, writtenCall('agent_sample', text), signal)), given, calls };
  }

  it('gives the tool its arguments as written, the caller, the call and its place', async () => {
    const { result, given, record } = await callWith(' {"q": 1} ');
    expect(result).toEqual(ok('{"found":1}'));
    expect(given).toEqual([
      '{"q": 1}',
      {
        ...{ sessionId: 's', turn: 4, callId: 'call-1', actor: 'model', cause: { toolCallId: 'call-1' } },
        approve: 'ask',
      },
      true,
    ]);
    expect(record).toMatchObject({ outcome: 'done', bytes: 11, preview: '{"found":1}' });
  });

  it('of a user has the cause of the user’s command', async () => {
    const cause = { commandId: 'c' } as never;
    const { given } = await callWith('{"q": 1}', commandScope('s', 0, cause));
    expect(given[1]).toMatchObject({ actor: 'user', cause });
    expect(commandScope()).toMatchObject({ sessionId: null, turn: null, approve: 'ask' });
    expect(commandScope()).not.toHaveProperty('cause');
  });

  it('of a script is refused: a script reaches no built-in tool', async () => {
    const { result, given } = await callWith('{"q": 1}', { ...modelCall, actor: 'script' });
    expect(result).toMatchObject({ error: { code: 'NOT_FOUND', layer: 'binding' } });
    expect(given).toEqual([]);
  });

  it.each([
    ['{"q": ', 'agent_sample: the arguments must be one JSON object.'],
    ['[1]', 'agent_sample: the arguments must be one JSON object.'],
    ['{}', expect.stringContaining('q') as string],
    ['', expect.stringContaining('q') as string],
  ])('with the arguments %j is refused', async (text, message) => {
    const { result, given } = await callWith(text);
    expect(result).toMatchObject({
      error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS', layer: 'arguments', message },
    });
    expect(given).toEqual([]);
  });

  it.each([
    ['{"q": ', '{"q":'],
    ['[1]', '[1]'],
    ['  ', '{}'],
    ['', '{}'],
  ])('passes %j on to a tool that reports errors of its arguments itself', async (text, passed) => {
    const { result, given } = await callWith(text, modelCall, { answersArguments: true });
    expect(result.ok).toBe(true);
    expect(given[0]).toBe(passed);
  });

  it('may leave out its arguments where none are required', async () => {
    for (const text of ['', '  '])
      expect((await callWith(text, modelCall, { schema: { type: 'object' } })).result.ok).toBe(true);
  });

  it('asks itself where only writes need a recorded approval', async () => {
    const recorded = {
      needed: (_call: unknown, write: boolean) => write,
      isApproved: () => true,
      use: () => true,
    };
    const { given } = await callWith(
      '{"q": 1}',
      builtInScope({ sessionId: 's', turn: 0, lists: {}, recorded }),
    );
    expect(given[1]).toMatchObject({ approve: 'ask' });
  });

  it('that throws is a failure that names the tool and the reason', async () => {
    const execute = () => Promise.reject(new Error('broken'));
    expect((await callWith('{"q": 1}', modelCall, { execute })).result).toMatchObject({
      error: {
        ...{ kind: 'TOOL', code: 'FAILED', tool: 'agent_sample' },
        message: 'Internal error in Patina, so agent_sample failed: broken',
      },
    });
  });

  it('has its error or its result as text', () => {
    const record = {
      callId: 'c',
      tool: 't',
      argumentsPreview: '',
      ms: 0,
      bytes: 0,
      outcome: 'done' as const,
    };
    const failed = err(appError('TOOL', 'FAILED', 'No.'));
    expect(resultText({ result: failed, record })).toBe(failed);
    expect(resultText({ result: ok('plain'), record })).toEqual(ok('plain'));
    expect(resultText({ result: ok({ a: [1] }), record })).toEqual(ok('{"a":[1]}'));
  });

  it('can be found and offered by its name', async () => {
    const { calls } = await callWith('{"q": 1}');
    expect(calls.find('agent_sample')?.name).toBe('agent_sample');
    expect(calls.builtInTools()).toHaveLength(1);
    expect(calls.offered({}).map(({ name }) => name)).toEqual(['agent_sample']);
    expect(calls.offered({ modeTools: [] })).toEqual([]);
  });
});
