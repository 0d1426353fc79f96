import { describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import type { ApprovalDecision } from '#shared/approval';
import { Capabilities } from '#shared/capabilities';
import type { Grant } from '#shared/grant';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createInMemoryTools, type InMemoryTool } from '../../testing/in-memory-tools';
import { createManualClock } from '../../testing/manual-clock';
import { createMemoryTexts } from '../../testing/memory-texts';
import type { FileState } from '../ports/project-files';
import { createApprovalBatcher, createApprovals, type WritePolicy } from './approvals';
import { toolsByName, type CallRecorder, type CallScope } from './call-scope';
import { createSequence, createToolCalls } from './call-tool';
import { canonicalHash } from './canonical-hash';
import { createDataFlows } from './data-flows';
import { createFactBuffer } from './fact-buffer';
import { createNameIndex } from './name-index';
import { createRunWrites } from './node-writes';
import { createReadCache } from './read-cache';
import { createSchemaCheck } from './schema-check';
import { createTaintTracker } from './taint-tracker';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ServerAccess } from './tool-table';

const project = '/p';
const get = 'mcp://box.get';
const put = 'mcp://box.put';
const writeFile = 'mcp://filesystem.write_file';
const hashOf = (tool: string, args: JsonObject) => canonicalHash({ tool, arguments: args });

const count = { type: 'object', properties: { n: { type: 'number', title: 'Count' } } };
const defaults: Readonly<Record<string, InMemoryTool>> = {
  [get]: { call: () => ok({ id: 'o1', name: 'Lamp' }) },
  [put]: { readOnly: false, inputSchema: count, call: () => ok('stored') },
  [writeFile]: { readOnly: false, bundled: 'filesystem', call: () => ok('written') },
  'mcp://mail.search': { call: () => ok('found') },
  'mcp://mail.send': { readOnly: false, call: () => ok('sent') },
};

interface Setting {
  readonly tools?: Readonly<Record<string, InMemoryTool>>;
  readonly access?: Partial<ServerAccess>;
  readonly scope?: Partial<CallScope>;
  readonly recorder?: Partial<CallRecorder>;
  readonly approve?: WritePolicy;
  /** The answers of the user, in order; after them the questions stay open. */
  readonly answers?: readonly (Omit<ApprovalDecision, 'approvalId' | 'hash'> & { edit?: JsonObject })[];
  /** Whether the session accepts facts of this type. */
  readonly accepts?: (type: SessionFact['type']) => boolean;
}

/** The one call path with servers in memory, and a user who answers questions as listed. */
async function setUp({
  tools,
  access,
  scope: scopeOf,
  recorder,
  approve = 'ask',
  answers = [],
  accepts = () => true,
}: Setting = {}) {
  const time = createManualClock();
  const { clock } = time;
  const servers = createInMemoryTools({ ...defaults, ...tools });
  const events: SessionFact[] = [];
  const steps: string[] = [];
  const stop = new AbortController();
  let made = 0;
  const ids = { next: (prefix: string) => `${prefix}_${(made += 1)}` };
  const approvals = createApprovals();
  const left = [...answers];
  const reply = async (fact: SessionFact): Promise<void> => {
    const answer = fact.type === 'approval-requested' ? left.shift() : undefined;
    if (fact.type !== 'approval-requested' || !answer) return;
    const { edit, ...decision } = answer;
    const { approvalId } = fact;
    let { hash } = fact;
    if (edit) {
      await approvals.edit({ approvalId, hash, arguments: edit });
      const changed = events.findLast(({ type }) => type === 'approval-edited');
      if (changed?.type === 'approval-edited') ({ hash } = changed);
    }
    approvals.answer([{ approvalId, hash, ...decision }]);
  };
  const commit = (batch: readonly SessionFact[]): boolean => {
    if (!batch.every(({ type }) => accepts(type))) return false;
    events.push(...batch);
    for (const fact of batch) queueMicrotask(() => void reply(fact));
    return true;
  };
  const facts = createFactBuffer(clock, commit, () => undefined);
  const onWaiting = () => (steps.push('waits'), () => void steps.push('goes on'));
  const toolCalls = createToolCalls({
    ...{ clock, ids, checkSchema: createSchemaCheck() },
    servers: () => Promise.resolve({ tools: servers.tools, ...access }),
  });
  const listing = await toolCalls.list(project);
  if (!listing.ok) throw new Error(listing.error.message);
  const runWrites = createRunWrites();
  const origins = createTaintTracker([]);
  let attempts = 0;
  const breaches: AppError[] = [];
  const scope: CallScope = {
    ...{ actor: 'script', sessionId: 's', turn: 0, project, lists: {}, approve },
    tools: toolsByName(listing.value),
    capabilities: Capabilities.parse({ allow: ['mcp://*'] }),
    approvals: createApprovalBatcher({ clock, ids, facts, onWaiting, approvals, approve }),
    recorder: {
      ...{ turn: 0, runId: 'r', nodeId: 'n', facts, origins, writes: runWrites.attempt('n') },
      ...recorder,
    },
    budget: {
      callsLeft: () => ({ inNode: 9 - attempts, inRun: 9 }),
      onAttempt: () => void (attempts += 1),
      onBreach: (error) => void breaches.push(error),
      onWaiting,
      acquireSlot: () => {
        steps.push('slot');
        return Promise.resolve(() => void steps.push('free'));
      },
    },
    ...scopeOf,
  };
  const callWhole = (tool: string, args: Json = {}, of: CallScope = scope) =>
    toolCalls.callTool(of, { tool, arguments: args }, stop.signal);
  const call = async (tool: string, args: Json = {}): Promise<Result<Json>> =>
    (await callWhole(tool, args)).result;
  const types = () => events.map(({ type }) => type);
  const find = (type: SessionFact['type']) => events.filter((fact) => fact.type === type);
  return {
    ...{ call, callWhole, toolCalls, scope, servers, events, types, find, steps, stop, time, facts },
    ...{ runWrites, origins, attempts: () => attempts, breaches },
  };
}

const yes = { approved: true };
const no = { approved: false };
const refusal = (code: string, more: object = {}) => ({ ok: false, error: { code, ...more } });

describe('a call of a server tool', () => {
  it('counts as an attempt whatever the gate says, and has its own id', async () => {
    const { callWhole, attempts } = await setUp();
    const first = await callWhole(get);
    const second = await callWhole('mcp://box.none');
    expect([first.record.callId, second.record.callId]).toEqual(['call_1', 'call_2']);
    expect(second.record.outcome).toBe('failed');
    expect(attempts()).toBe(2);
  });

  it('has its arguments, time and result in its record', async () => {
    const { callWhole, time } = await setUp({
      tools: { [get]: { call: () => (time.advance(25), ok({ a: 1 })) } },
    });
    const { record } = await callWhole(get, { q: 'x' });
    expect(record).toEqual({
      ...{ callId: 'call_1', tool: get, argumentsPreview: '{"q":"x"}', ms: 25 },
      ...{ outcome: 'done', bytes: 7, preview: '{"a":1}' },
    });
  });

  it('holds a slot while it runs, also when it is refused or fails', async () => {
    const { call, steps } = await setUp({
      tools: { 'mcp://mail.search': { call: () => Promise.reject(new Error('broken')) } },
    });
    await call(get);
    await expect(call('mcp://mail.search')).rejects.toThrow('broken');
    expect(steps).toEqual(['slot', 'free', 'slot', 'free']);
  });

  it('keeps its servers running, and reports the result with the tool', async () => {
    const reported: unknown[] = [];
    let tracked = 0;
    const { call } = await setUp({
      access: {
        track: (work) => ((tracked += 1), work()),
        onResult: ({ uri }, result) => void reported.push([uri, result]),
      },
      tools: { 'mcp://mail.search': { call: () => err(appError('TOOL', 'FAILED', 'No.')) } },
    });
    tracked = 0;
    await call(get);
    await call('mcp://mail.search');
    expect(tracked).toBe(2);
    expect(reported).toEqual([[get, { id: 'o1', name: 'Lamp' }]]);
  });

  it('is cancelled without reaching its tool when its signal was aborted', async () => {
    const { call, stop, servers, types } = await setUp();
    stop.abort();
    expect(await call(put)).toMatchObject(refusal('CANCELLED', { kind: 'HOST', tool: put }));
    expect(servers.calls).toEqual([]);
    expect(types()).toEqual(['tool-called']);
  });

  it('is cancelled without reaching its tool when the signal aborts while it waits for a slot', async () => {
    const { callWhole, scope, stop, servers } = await setUp();
    const acquireSlot = () => (stop.abort(), Promise.resolve(() => undefined));
    const waiting = { ...scope, ...(scope.budget && { budget: { ...scope.budget, acquireSlot } }) };
    expect((await callWhole(get, {}, waiting)).result).toMatchObject(refusal('CANCELLED'));
    expect(servers.calls).toEqual([]);
  });

  it('names its tool in an error of the server, and a read with an unknown outcome has simply failed', async () => {
    const lost = appError('TOOL', 'TIMEOUT', 'Silence.', { outcome: 'unknown' });
    const { call } = await setUp({ tools: { [get]: { call: () => err(lost) } } });
    expect(await call(get)).toEqual(err(appError('TOOL', 'TIMEOUT', 'Silence.', { tool: get })));
  });

  it('finds no tool when the scope reaches no project', async () => {
    const { call, servers } = await setUp({ scope: { project: null } });
    expect(await call(get)).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code: 'NOT_FOUND', tool: get, message: `There is no tool ${get}.` },
    });
    expect(servers.calls).toEqual([]);
  });

  it.each<[Json]>([[[1]], ['text'], [null]])(
    'is refused when its arguments are no object: %j',
    async (args) => {
      const { call } = await setUp();
      const message = `${get}: arguments must be one object.`;
      expect(await call(get, args)).toMatchObject(
        refusal('INVALID_ARGUMENTS', { layer: 'arguments', tool: get, message }),
      );
    },
  );

  it('is refused when the budget is used up, and the code that runs the node learns it', async () => {
    const { callWhole, scope, breaches, servers } = await setUp();
    const budget = scope.budget && { ...scope.budget, callsLeft: () => ({ inNode: 0, inRun: 1 }) };
    const { result } = await callWhole(get, {}, { ...scope, ...(budget && { budget }) });
    expect(result).toMatchObject(refusal('TOOL_CALLS', { layer: 'budget' }));
    expect(breaches).toEqual([!result.ok && result.error]);
    expect(servers.calls).toEqual([]);
  });

  it('is refused where a constraint of the plan forbids it', async () => {
    const rules = [{ kind: 'no-writes' as const, text: 'no writes' }];
    const { call, servers } = await setUp({ scope: { constraints: { rules, project } }, approve: 'all' });
    expect(await call(put)).toMatchObject(refusal('CAPABILITY_DENIED', { layer: 'constraint' }));
    expect((await call(get)).ok).toBe(true);
    expect(servers.calls).toHaveLength(1);
  });

  it('stops the clock of the run while its server asks the user', async () => {
    const watched: string[] = [];
    const watchWaiting = (server: string, onWaiting: () => () => void) => {
      watched.push(server);
      onWaiting()();
      return () => void watched.push('ended');
    };
    const { call, steps } = await setUp({ access: { elicitations: { watchWaiting } } });
    await call(get);
    expect(watched).toEqual(['box', 'ended']);
    expect(steps).toEqual(['slot', 'waits', 'goes on', 'free']);
  });

  it('pins the definition that its server has now when that changed before the call', async () => {
    const [asked, enforced]: [unknown[], (readonly string[])[]] = [[], []];
    const failed = appError('TOOL', 'FAILED', 'No.');
    const box = createInMemoryTools({
      ...defaults,
      [get]: { call: () => err(appError('POLICY', 'TOOL_CHANGED', 'Changed.')) },
      'mcp://mail.search': { call: () => err(failed) },
    });
    let listed = true;
    const list: typeof box.tools.list = (servers, how) => {
      asked.push([servers, how]);
      return listed ? box.tools.list(servers, how) : Promise.resolve(err(failed));
    };
    const enforce = (found: readonly ToolDefinition[]) => (
      enforced.push(found.map(({ uri }) => uri)),
      ok(found)
    );
    const { call } = await setUp({ access: { tools: { ...box.tools, list }, pins: { enforce } } });
    asked.length = enforced.length = 0;
    await call('mcp://mail.search');
    expect(asked).toEqual([]);
    expect(await call(get)).toMatchObject(refusal('TOOL_CHANGED', { tool: get }));
    expect([asked, enforced]).toEqual([[[['box'], 'live']], [[get, put]]]);
    listed = false;
    expect(await call(get)).toMatchObject(refusal('TOOL_CHANGED', { tool: get }));
    expect(enforced).toHaveLength(1);
  });

  it('teaches names and sources only with the result of a read', async () => {
    const names = createNameIndex();
    const { call, origins } = await setUp({
      ...{ approve: 'all', recorder: { names } },
      tools: { [put]: { readOnly: false, call: () => ok({ id: 'o2', name: 'Chair' }) } },
    });
    await call(get);
    await call(put);
    expect(names.of({ a: 'o1', b: 'o2' })).toEqual([{ value: 'o1', name: 'Lamp', source: get }]);
    expect(origins.all().map(({ source }) => source)).toEqual([get, put]);
  });
});

describe('a read that the cache knows', () => {
  const cached = async (bypass = false) => {
    let [hits, calls] = [0, 0];
    const stamp = () => Promise.resolve('same');
    const cache = createReadCache({ project, texts: createMemoryTexts(), stamp, now: () => 0 });
    const answers = [err(appError('TOOL', 'FAILED', 'No.')), ok('first'), ok('second')];
    const setting = await setUp({
      access: { cache },
      scope: { cache: { bypass, onHit: () => void (hits += 1) } },
      tools: { [get]: { call: () => answers[(calls += 1) - 1] ?? ok('later') } },
      approve: 'all',
    });
    return { ...setting, hits: () => hits, calls: () => calls };
  };

  it('is answered without a call, and its record says so; a failure is not kept', async () => {
    const { callWhole, hits, calls } = await cached();
    expect((await callWhole(get)).result.ok).toBe(false);
    const made = await callWhole(get);
    expect([made.result, made.record.cached]).toEqual([ok('first'), undefined]);
    const answered = await callWhole(get);
    expect([answered.result, answered.record.cached]).toEqual([ok('first'), true]);
    expect([hits(), calls()]).toEqual([1, 2]);
  });

  it('is made again when a fresh result is wanted, or when the scope uses no cache', async () => {
    const { call, callWhole, scope, hits, calls } = await cached(true);
    await call(get);
    expect([await call(get), await call(get)]).toEqual([ok('first'), ok('second')]);
    const { cache: _cache, ...without } = scope;
    expect((await callWhole(get, {}, without)).result).toEqual(ok('later'));
    expect([hits(), calls()]).toEqual([0, 4]);
  });

  it('is made again after a write to its server', async () => {
    const invalidated: string[] = [];
    const lookUp = () => Promise.resolve({ hit: { value: 'kept' }, store: () => undefined });
    const { call } = await setUp({
      access: { cache: { lookUp, invalidate: (server) => void invalidated.push(server) } },
      scope: { cache: { bypass: false, onHit: () => undefined } },
      approve: 'all',
    });
    expect(await call(get)).toEqual(ok('kept'));
    expect(invalidated).toEqual([]);
    expect(await call(put)).toEqual(ok('stored'));
    expect(invalidated).toEqual(['box']);
  });
});

describe('a write', () => {
  it('is announced before it is made, and its result is recorded after it', async () => {
    const { call, events, types } = await setUp({ answers: [yes] });
    expect(await call(put, { n: 1 })).toEqual(ok('stored'));
    expect(types()).toEqual(['approval-requested', 'approval-answered', 'write-intended', 'tool-called']);
    expect(events[2]).toEqual({
      ...{ type: 'write-intended', turn: 0, runId: 'r', nodeId: 'n', callId: 'call_1', tool: put },
      ...{ arguments: { n: 1 }, hash: hashOf(put, { n: 1 }) },
    });
  });

  it.each([
    ['write-intended', 'STORAGE', 'The write was not made: its intent could not be recorded.'],
    ['approval-requested', 'CANCELLED', 'The call was cancelled.'],
  ] as const)('is not made when %s cannot be recorded', async (type, code, message) => {
    const { call, servers } = await setUp({ answers: [yes], accepts: (one) => one !== type });
    expect(await call(put)).toMatchObject({ ok: false, error: { kind: 'HOST', code, message, tool: put } });
    expect(servers.calls).toEqual([]);
  });

  it('is refused when the user refuses, and the run learns what to do instead', async () => {
    const { call, find, servers, runWrites } = await setUp({ answers: [no, { ...no, said: 'Use mail.' }] });
    const denied = { kind: 'POLICY', layer: 'approval', tool: put, message: `${put} was not approved.` };
    const plain = await call(put);
    expect(plain).toMatchObject(refusal('APPROVAL_DENIED', denied));
    expect(!plain.ok && plain.error).not.toHaveProperty('hint');
    const hint = 'The user said what to do instead: Use mail.';
    expect(await call(put)).toMatchObject(refusal('APPROVAL_DENIED', { ...denied, hint }));
    expect(find('write-refused')).toMatchObject([{ layer: 'approval' }, { answered: true }]);
    expect(find('write-refused')[0]).not.toHaveProperty('answered');
    expect(servers.calls).toEqual([]);
    expect(runWrites.requested('n')).toEqual({ all: 2, refused: 2 });
  });

  it('is cancelled with its question', async () => {
    const { call, stop, servers } = await setUp();
    const result = call(put);
    await Promise.resolve();
    stop.abort();
    expect(await result).toMatchObject(refusal('CANCELLED', { tool: put }));
    expect(servers.calls).toEqual([]);
  });

  it.each([
    ['all', ok('stored'), undefined],
    ['none', refusal('APPROVAL_DENIED'), 'This run approves no writes.'],
  ] as const)('is answered without a question when a run approves %s', async (approve, expected, hint) => {
    const { call, types } = await setUp({ approve });
    const result = await call(put);
    expect(result).toMatchObject(expected);
    expect(result.ok ? undefined : result.error.hint).toBe(hint);
    expect(types().slice(0, 2)).toEqual(['approval-requested', 'approval-answered']);
  });

  it.each(['recorder', 'approvals'] as const)(
    'is refused where nothing can ask: without %s',
    async (name) => {
      const { callWhole, scope, servers } = await setUp();
      const { [name]: _left, ...rest } = scope;
      expect((await callWhole(put, {}, rest as CallScope)).result).toMatchObject(refusal('APPROVAL_DENIED'));
      expect(servers.calls).toEqual([]);
    },
  );

  it('is shown with the names, sources and titles of its arguments, and what its node has read', async () => {
    const names = createNameIndex();
    names.note(get, { id: 'o1', name: 'Lamp' });
    const flows = createDataFlows({ tools: new Map(), allowed: [], resumed: false });
    flows.onRead(get, { text: 'the whole value' });
    const properties = {
      order: { type: 'string', title: 'T'.repeat(300) },
      note: { type: 'string', title: '' },
      more: { title: 3 },
    };
    const { call, find } = await setUp({
      answers: [no],
      tools: { [put]: { readOnly: false, inputSchema: { type: 'object', properties }, call: () => ok('') } },
      recorder: {
        names,
        flows,
        asksAt: 'asking',
        origins: createTaintTracker([{ source: get, nodeId: 'm', trusted: true }]),
      },
    });
    await call(put, { order: 'o1', note: 'the whole value', more: 'x', constructor: 'y' });
    expect(find('approval-requested')).toEqual([
      {
        ...{ type: 'approval-requested', turn: 0, runId: 'r', nodeId: 'asking', tool: put, card: 'card_3' },
        arguments: { order: 'o1', note: 'the whole value', more: 'x', constructor: 'y' },
        ...{ approvalId: 'apr_2', undo: 'impossible', hash: expect.any(String) as unknown },
        origins: [{ source: get, nodeId: 'm', trusted: true }],
        names: [{ value: 'o1', name: 'Lamp', source: get }],
        sources: [{ argument: 'note', tools: [get] }],
        labels: { order: 'T'.repeat(200) },
      },
    ]);
  });

  it('is shown without what is not known of it', async () => {
    const { call, find } = await setUp({ answers: [no] });
    await call(put, { other: 1 });
    expect(Object.keys(find('approval-requested')[0] ?? {}).toSorted()).toEqual([
      'approvalId',
      'arguments',
      'card',
      'hash',
      'nodeId',
      'runId',
      'tool',
      'turn',
      'type',
      'undo',
    ]);
  });

  it('is made with the arguments that the user approved, after the same checks', async () => {
    const { callWhole, servers, find } = await setUp({ answers: [{ ...yes, edit: { n: 2 } }] });
    const { result, record } = await callWhole(put, { n: 1 });
    expect(result).toEqual(ok('stored'));
    expect(record.argumentsPreview).toBe('{"n":2}');
    expect(servers.calls).toEqual([{ uri: put, args: { n: 2 } }]);
    expect(find('approval-edited')).toMatchObject([{ arguments: { n: 2 }, hash: hashOf(put, { n: 2 }) }]);
  });

  it.each<[string, Json]>([
    ['breaks the schema', { n: 'two' }],
    ['is no object', [1]],
  ])('keeps its arguments when the edit %s', async (_what, edit) => {
    const { call, servers, find } = await setUp({ answers: [{ ...yes, edit: edit as JsonObject }] });
    await call(put, { n: 1 });
    expect(find('approval-edited')).toEqual([]);
    expect(servers.calls).toEqual([{ uri: put, args: { n: 1 } }]);
  });

  it('that an earlier attempt made is answered with its result, and neither made nor recorded again', async () => {
    const writes = createRunWrites({
      writes: new Map([['n', { done: [{ hash: hashOf(put, {}), result: 'before', at: 0 }], answers: [] }]]),
      inherited: [],
    }).attempt('n');
    const { callWhole, servers, types } = await setUp({ recorder: { writes } });
    expect((await callWhole(put)).result).toEqual(ok('before'));
    expect([servers.calls, types()]).toEqual([[], []]);
  });

  it.each([
    [true, ok('stored')],
    [false, refusal('APPROVAL_DENIED')],
  ])('that was answered before with %s is not asked about again', async (approved, expected) => {
    const answers = [{ hash: hashOf(put, {}), approved }];
    const writes = createRunWrites({ writes: new Map([['n', { done: [], answers }]]), inherited: [] });
    const { call, types } = await setUp({ recorder: { writes: writes.attempt('n') } });
    expect(await call(put)).toMatchObject(expected);
    expect(types()).not.toContain('approval-requested');
  });

  it('with an unknown outcome is not retried, and not repeated in the run', async () => {
    const lost = appError('TOOL', 'TIMEOUT', 'Silence.', { outcome: 'unknown', retryable: true });
    const { callWhole, servers } = await setUp({
      tools: { [put]: { readOnly: false, call: () => err(lost) } },
      answers: [yes, yes],
    });
    const first = await callWhole(put);
    expect(first.result).toMatchObject(refusal('TIMEOUT', { retryable: false, outcome: 'unknown' }));
    expect(first.record.outcome).toBe('unknown');
    expect((await callWhole(put)).result).toMatchObject(refusal('STATE', { kind: 'HOST', tool: put }));
    expect(servers.calls).toHaveLength(1);
  });

  it('has what its undo needs in its announcement, and what it left in its record', async () => {
    const order: string[] = [];
    const before = [{ kind: 'missing' as const, path: 'a' }];
    const left = [{ kind: 'folder' as const, path: 'a' }];
    const begin = () => {
      order.push('saved');
      const after = (result: Result<Json>) => (
        order.push(`after ${String(result.ok)}`),
        Promise.resolve(left)
      );
      return Promise.resolve({
        undo: { project, before },
        after,
        release: () => void order.push('released'),
      });
    };
    const { call, find, callWhole, scope } = await setUp({
      access: { history: { begin } },
      answers: [yes, yes],
    });
    await call(put);
    expect(order).toEqual(['saved', 'after true', 'released']);
    expect(find('write-intended')).toMatchObject([{ undo: { project, before } }]);
    expect(find('tool-called')).toMatchObject([{ after: left }]);
    await call(get);
    await callWhole(put, {}, { ...scope, sessionId: null });
    expect(order).toHaveLength(3);
  });
});

describe('a write to a file of the project', () => {
  const state = (text: string): FileState => ({
    ...{ kind: 'file', path: 'a.md', bytes: text.length, hash: text, text, complete: true },
  });
  const args = { path: 'a.md', content: 'new\n' };

  it('is shown with what it changes, and can be undone', async () => {
    const { call, find } = await setUp({
      access: { readFile: () => Promise.resolve(state('old\n')) },
      answers: [yes],
    });
    expect(await call(writeFile, args)).toEqual(ok('written'));
    expect(find('approval-requested')).toMatchObject([
      { file: { kind: 'text', path: 'a.md', added: 1, removed: 1 }, undo: 'possible' },
    ]);
    expect(find('approval-requested')[0]).not.toHaveProperty('again');
  });

  it('is asked about again when the file has changed since the user saw it', async () => {
    const states = ['old\n', 'changed\n', 'changed\n', 'changed\n'];
    const { call, find, servers } = await setUp({
      access: { readFile: () => Promise.resolve(state(states.shift() ?? 'late')) },
      answers: [yes, yes],
    });
    expect(await call(writeFile, args)).toEqual(ok('written'));
    const [first, second] = find('approval-requested');
    expect(first).not.toHaveProperty('again');
    expect(second).toMatchObject({ again: true });
    expect(first?.type === 'approval-requested' && first.hash).not.toBe(
      second?.type === 'approval-requested' && second.hash,
    );
    expect(servers.calls).toHaveLength(1);
  });

  it('is not read for a card that nobody sees', async () => {
    let reads = 0;
    const { call } = await setUp({
      access: { readFile: () => ((reads += 1), Promise.resolve(state('old\n'))) },
      approve: 'all',
    });
    expect(await call(writeFile, args)).toEqual(ok('written'));
    expect(reads).toBe(0);
  });

  it('runs after the one before it, and sees what that one wrote', async () => {
    let content = 'old\n';
    const { call, find } = await setUp({
      access: { readFile: () => Promise.resolve(state(content)) },
      tools: {
        [writeFile]: {
          ...{ readOnly: false, bundled: 'filesystem' },
          call: ({ content: next }) => ((content = JSON.stringify(next)), ok('written')),
        },
      },
      answers: [yes, yes, yes],
    });
    await Promise.all([
      call(writeFile, { ...args, content: 'one\n' }),
      call(writeFile, { ...args, content: 'two\n' }),
    ]);
    expect(find('approval-requested').map((fact) => 'again' in fact)).toEqual([false, false, true]);
    expect(content).toBe('"two\\n"');
  });
});

describe('a saved permission', () => {
  const reach = { kind: 'always' as const, project };
  const grant = (more: Partial<Grant> = {}): Grant => ({
    ...{ id: 'g', decision: 'allow', tool: put, where: {}, at: 0, reach },
    ...more,
  });
  const other: Grant = { ...grant(), id: 'other', tool: 'mcp://box.other' };
  const saved = (one: Grant) => ({ savedPermissions: { project, grants: () => [other, one] } });

  it('allows a write without a question, and the record names it', async () => {
    const { callWhole, types } = await setUp({ access: saved(grant()) });
    const { result, record } = await callWhole(put);
    expect(result).toEqual(ok('stored'));
    expect(record.allowedBy).toEqual(grant());
    expect(types()).toEqual(['write-intended', 'tool-called']);
  });

  it('is not named by a read, which needs none', async () => {
    const { callWhole } = await setUp({ access: saved(grant({ tool: get })) });
    expect((await callWhole(get)).record).not.toHaveProperty('allowedBy');
  });

  it('refuses a call, and the answer says how to be asked again', async () => {
    const { call, types } = await setUp({ access: saved(grant({ decision: 'never' })), approve: 'all' });
    expect(await call(put)).toMatchObject(
      refusal('APPROVAL_DENIED', {
        message: `${put} is blocked by a saved permission.`,
        hint: expect.stringContaining('patina tools --revoke g') as string,
      }),
    );
    expect(types()).toEqual(['tool-called', 'write-refused']);
  });

  it.each<[string, Partial<CallScope>, Partial<CallRecorder>]>([
    [
      'untrusted text is in the node',
      {},
      { origins: createTaintTracker([{ source: 'x', nodeId: 'n', trusted: false }]) },
    ],
    ['the call belongs to no session', { sessionId: null }, {}],
  ])('does not allow a write when %s', async (_why, scope, recorder) => {
    const { call, types } = await setUp({ access: saved(grant()), scope, recorder, answers: [no] });
    expect(await call(put)).toMatchObject(refusal('APPROVAL_DENIED'));
    expect(types()).toContain('approval-requested');
  });

  it.each([
    ['session', { kind: 'session', sessionId: 's' }, true],
    ['other session', { kind: 'session', sessionId: 't' }, false],
    ['run', { kind: 'run', runId: 'r' }, true],
    ['stage', { kind: 'run', runId: 'r', stage: 2 }, true],
    ['other stage', { kind: 'run', runId: 'r', stage: 1 }, false],
  ] as const)('of this %s applies or not', async (_name, of, applies) => {
    const { call, types } = await setUp({
      ...{ access: saved(grant({ reach: of })), recorder: { stage: 2 }, answers: [no] },
    });
    expect((await call(put)).ok).toBe(applies);
    expect(types().includes('approval-requested')).toBe(!applies);
  });

  it.each([
    ['docs/a.md', 'docs/a.md', true],
    ['docs/link/a.md', 'src/a.md', false],
    ['docs/out', null, false],
  ])('for a folder looks where the path %s leads (%s)', async (path, real, applies) => {
    const resolved: string[] = [];
    const one = grant({ tool: writeFile, where: { path: { within: 'docs' } } });
    const { call } = await setUp({
      access: { ...saved(one), resolvePath: (written) => (resolved.push(written), Promise.resolve(real)) },
      answers: [no],
    });
    expect((await call(writeFile, { path, content: '', mode: 'w' })).ok).toBe(applies);
    expect(resolved).toEqual([path]);
  });

  it('looks up both paths of a move, and none for a call that no permission is about', async () => {
    const resolved: string[] = [];
    const move = 'mcp://filesystem.move_file';
    const one = grant({ tool: move, where: { source: { within: 'docs' }, destination: { within: 'docs' } } });
    const resolvePath = (written: string) => (resolved.push(written), Promise.resolve(written));
    const { call } = await setUp({
      access: { ...saved(one), resolvePath },
      tools: { [move]: { readOnly: false, bundled: 'filesystem', call: () => ok('moved') } },
      answers: [no, no, no],
    });
    expect(await call(move, { source: 'docs/a', destination: 'docs/b', path: 3 })).toEqual(ok('moved'));
    expect(resolved).toEqual(['docs/a', 'docs/b']);
    await call(writeFile, { path: 'docs/a', content: '' });
    await call(put, { path: 'docs/a' });
    await call(move, []);
    expect(resolved).toHaveLength(2);
  });

  it('for a folder covers the reads of the bundled server too, where they are asked about', async () => {
    const resolved: string[] = [];
    const read = 'mcp://filesystem.read_file';
    const resolvePath = (written: string) => (resolved.push(written), Promise.resolve(written));
    const { call } = await setUp({
      access: { ...saved(grant({ tool: read, where: { path: { within: 'docs' } } })), resolvePath },
      tools: { [read]: { bundled: 'filesystem', call: () => ok('text') } },
    });
    await call(read, { path: 'docs/a' });
    expect(resolved).toEqual(['docs/a']);
  });

  it.each([
    ['h1', 'h1', undefined, true],
    ['h1', 'h2', undefined, false],
    ['h1', undefined, undefined, false],
    // The tools of bundled servers are not pinned.
    ['h1', undefined, 'project', true],
    ['h1', 'h1', 'project', false],
  ])(
    'with the tool’s hash %s is bound to the definition %s (bundled: %s)',
    async (hash, definition, bundled, applies) => {
      const { scope, callWhole } = await setUp({
        ...{ access: saved(grant(definition === undefined ? {} : { definition })), answers: [no] },
      });
      const known = [...(scope.tools?.values() ?? [])].map((one) => ({
        ...one,
        hash,
        ...(bundled && { bundled }),
      }));
      const tools = new Map(known.map((one) => [one.uri, one]));
      expect((await callWhole(put, {}, { ...scope, tools })).result.ok).toBe(applies);
    },
  );

  it('that is revoked while the call waits for a slot no longer allows it', async () => {
    const grants = [grant()];
    const { scope, callWhole, servers } = await setUp({
      access: { savedPermissions: { project, grants: () => grants } },
    });
    const acquireSlot = () => ((grants.length = 0), Promise.resolve(() => undefined));
    const waiting = { ...scope, ...(scope.budget && { budget: { ...scope.budget, acquireSlot } }) };
    expect((await callWhole(put, {}, waiting)).result).toMatchObject(refusal('CANCELLED'));
    expect(servers.calls).toEqual([]);
  });

  it('does not look up paths for the tool of another server', async () => {
    const resolved: string[] = [];
    const resolvePath = (written: string) => (resolved.push(written), Promise.resolve(written));
    const one = grant({ where: { path: { within: 'docs' } } });
    const { call } = await setUp({ access: { ...saved(one), resolvePath }, answers: [no] });
    expect((await call(put, { path: 'docs/a' })).ok).toBe(false);
    expect(resolved).toEqual([]);
  });
});

describe('a call that passes content of one server to another', () => {
  const text = 'the launch code is 5531-9912';
  const flow = { from: 'box', to: 'mail' };
  const setting = async (more: Setting = {}) => {
    const flows = createDataFlows({ tools: new Map(), allowed: [], resumed: false });
    flows.onRead(get, text);
    const origins = createTaintTracker([{ source: get, nodeId: 'n', trusted: true }]);
    return setUp({ ...more, recorder: { flows, origins, ...more.recorder } });
  };

  it('is asked about although it only reads, once for the run', async () => {
    const { call, find } = await setting({ answers: [yes] });
    expect(await call('mcp://mail.search', { q: text })).toEqual(ok('found'));
    expect(find('approval-requested')).toMatchObject([{ flows: [flow] }]);
    expect(find('approval-requested')[0]).not.toHaveProperty('undo');
    expect(await call('mcp://mail.search', { q: `again ${text}` })).toEqual(ok('found'));
    expect(find('approval-requested')).toHaveLength(1);
  });

  it('is refused in words that say what would flow, and which line would allow it', async () => {
    const { call, servers } = await setting({ answers: [no] });
    expect(await call('mcp://mail.search', { q: text })).toMatchObject(
      refusal('APPROVAL_DENIED', {
        ...{ kind: 'POLICY', layer: 'approval', tool: 'mcp://mail.search' },
        message: 'mcp://mail.search would pass text from box to mail, which was not allowed.',
        hint: `To allow it in this project, add {"from":"box","to":"mail"} to "dataFlows" in .patina/capabilities.json.`,
      }),
    );
    expect(await call('mcp://mail.search', { q: text })).toMatchObject(refusal('APPROVAL_DENIED'));
    expect(servers.calls).toEqual([]);
  });

  it('shares the answer with the same calls beside it', async () => {
    const { call, find } = await setting({ answers: [yes] });
    const both = await Promise.all([
      call('mcp://mail.search', { q: text }),
      call('mcp://mail.search', { q: `${text}!` }),
    ]);
    expect(both).toEqual([ok('found'), ok('found')]);
    expect(find('approval-requested')).toHaveLength(1);
  });

  it('is refused with every flow that it would make', async () => {
    const shown = [{ source: 'mcp://web.page', nodeId: 'm', trusted: true }];
    const { call } = await setting({ recorder: { shown }, answers: [no] });
    expect(await call('mcp://mail.search', { q: text })).toMatchObject(
      refusal('APPROVAL_DENIED', {
        message: 'mcp://mail.search would pass text from web and box to mail, which was not allowed.',
        hint: expect.stringContaining(
          '{"from":"web","to":"mail"}, {"from":"box","to":"mail"} to "dataFlows"',
        ) as string,
      }),
    );
  });

  it('is compared once, however often the gate judges it', async () => {
    const flows = createDataFlows({ tools: new Map(), allowed: [], resumed: false });
    flows.onRead(get, text);
    let compared = 0;
    const undecided: typeof flows.undecided = (...given) => ((compared += 1), flows.undecided(...given));
    const { call } = await setting({ recorder: { flows: { ...flows, undecided } } });
    expect((await call('mcp://mail.search', { q: 'x' })).ok).toBe(true);
    expect(compared).toBe(1);
  });

  it('that writes is asked about once, and its flow is then allowed for reads', async () => {
    const { call, find } = await setting({ answers: [yes] });
    expect(await call('mcp://mail.send', { body: text })).toEqual(ok('sent'));
    expect(find('approval-requested')).toMatchObject([{ flows: [flow], undo: 'impossible' }]);
    expect(await call('mcp://mail.search', { q: text })).toEqual(ok('found'));
    expect(find('approval-requested')).toHaveLength(1);
  });

  it('that writes and is refused leaves the flow to be asked about', async () => {
    const { call, find } = await setting({ answers: [no, no] });
    expect((await call('mcp://mail.send', { body: text })).ok).toBe(false);
    expect((await call('mcp://mail.search', { q: text })).ok).toBe(false);
    expect(find('approval-requested')).toHaveLength(2);
  });

  it('is asked about when the planner had seen the content, whatever the call contains', async () => {
    const shown = [{ source: get, nodeId: 'm', trusted: true }];
    const { call, find } = await setting({
      recorder: { shown, origins: createTaintTracker([]) },
      answers: [yes],
    });
    await call('mcp://mail.search', { q: 'rot13' });
    expect(find('approval-requested')).toMatchObject([{ flows: [flow] }]);
  });

  it('is free where nothing of the node has read another server', async () => {
    const { call, types, facts } = await setting({ recorder: { origins: createTaintTracker([]) } });
    await call('mcp://mail.search', { q: text });
    facts.flush();
    expect(types()).toEqual(['tool-called']);
  });
});

describe('an approval that was recorded before the call', () => {
  const recorded = (used: string[], more: { approved: boolean; usable: boolean }) => ({
    needed: (_call: unknown, write: boolean) => write,
    isApproved: () => more.approved,
    use: (hash: string) => more.usable && used.push(hash) > 0,
  });

  it('is used up by the write, and not by a read', async () => {
    const used: string[] = [];
    const { call, types, facts } = await setUp({
      scope: { recorded: recorded(used, { approved: true, usable: true }) },
    });
    expect([await call(put), (await call(get)).ok]).toEqual([ok('stored'), true]);
    facts.flush();
    expect(used).toEqual([hashOf(put, {})]);
    expect(types()).toEqual(['write-intended', 'tool-called', 'tool-called']);
  });

  it('that is missing refuses the write without a question', async () => {
    const { call, servers } = await setUp({
      scope: { recorded: recorded([], { approved: false, usable: true }) },
    });
    expect(await call(put)).toMatchObject(
      refusal('APPROVAL_DENIED', { message: `${put} needs the user's approval of exactly this call first.` }),
    );
    expect(servers.calls).toEqual([]);
  });

  it('is not used where that cannot be recorded: the write is not made', async () => {
    const { call, servers, types } = await setUp({
      scope: { recorded: recorded([], { approved: true, usable: false }) },
    });
    expect(await call(put)).toMatchObject(
      refusal('STORAGE', { kind: 'HOST', message: 'The approval could not be recorded as used.', tool: put }),
    );
    expect(servers.calls).toEqual([]);
    expect(types()).not.toContain('write-intended');
  });
});

it('a listing asks a server again whose tools have changed, unless told otherwise', async () => {
  const pins = {
    enforce: (listed: readonly ToolDefinition[]) =>
      ok(listed.map((one) => ({ ...one, changed: true as const }))),
  };
  const { toolCalls, servers } = await setUp({ access: { pins } });
  servers.started.length = 0;
  await toolCalls.list(project, ['box']);
  expect(servers.started).toEqual([['box'], ['box']]);
  await toolCalls.list(project, ['box'], 'known');
  expect(servers.started).toHaveLength(3);
});

it('work in a sequence runs one after another, also after a failure', async () => {
  const sequence = createSequence();
  const order: string[] = [];
  let release = (): void => undefined;
  const first = sequence(async () => {
    await new Promise<void>((resolve) => (release = resolve));
    order.push('first');
    throw new Error('first failed');
  });
  const second = sequence(() => Promise.resolve(order.push('second')));
  await Promise.resolve();
  expect(order).toEqual([]);
  release();
  await expect(first).rejects.toThrow('first failed');
  expect(await second).toBe(2);
  expect(order).toEqual(['first', 'second']);
});
