import { describe, expect, it } from 'vitest';
import { applyWriteEvent } from './apply-write-event';
import { ledgerOf, describeLedger, openWrites, writeTarget, type WriteRecords } from './ledger';
import type { SessionFact } from './session-event';
import type { Json } from './json';

const about = { turn: 0, runId: 'r', nodeId: 'a' };
const intended = (callId: string, path: string, nodeId = 'a'): SessionFact => ({
  type: 'write-intended',
  ...about,
  nodeId,
  callId,
  tool: 'mcp://files.write',
  arguments: { path, content: 'x' },
  hash: 'h',
});
const ended = (callId: string, outcome: 'done' | 'failed' | 'unknown'): SessionFact => ({
  type: 'tool-called',
  ...about,
  call: { callId, tool: 'mcp://files.write', argumentsPreview: '{}', outcome, ms: 1, bytes: 0 },
});
const refused = (callId: string, target: string, nodeId = 'a'): SessionFact => ({
  type: 'write-refused',
  ...about,
  nodeId,
  callId,
  tool: 'mcp://files.write',
  target,
  layer: 'approval',
});
const fold = (facts: readonly SessionFact[]) => facts.reduce<WriteRecords>(applyWriteEvent, { writes: [] });
const rows = (facts: readonly SessionFact[]) =>
  ledgerOf(fold(facts)).map(({ target, outcome, superseded }) => [target, outcome, superseded ?? false]);

describe('the target of a write', () => {
  it.each<[Json, string]>([
    [{ path: './docs/a.md', content: 'long' }, 'docs/a.md'],
    [{ content: 'long', path: 'a.md' }, 'a.md'],
    [{ source: 'a', destination: 'b' }, 'a → b'],
    [{ order_id: '#W1', reason: 'no longer needed' }, '#W1'],
    [{ user_id: 'u', order_id: '#W1' }, 'order_id #W1, user_id u'],
    [{ repo: 'x', path: 'README.md' }, 'README.md, repo x'],
    [{ to: 'a@example.com', subject: 'Hello', body: 'b' }, 'a@example.com'],
    [{ b: 1, a: [true] }, '{"a":[true],"b":1}'],
    [{}, ''],
    [null, 'null'],
    [{ path: 'a\nb\u0007c' }, 'a b c'],
  ])('[LED-target] of %j is %j', (args, target) => {
    expect(writeTarget(args)).toBe(target);
  });

  it('[LED-target] is limited in length', () => {
    expect(writeTarget({ path: 'x'.repeat(5_000) })).toHaveLength(1_001);
  });
});

describe('the ledger', () => {
  it('[LED-entries] lists each write with its outcome, in the order of the requests', () => {
    const facts = [
      ...[intended('1', 'one'), refused('2', 'two'), intended('3', 'three'), ended('3', 'failed')],
      ...[ended('1', 'done'), intended('4', 'four'), ended('4', 'unknown'), intended('5', 'five')],
    ];
    expect(rows(facts)).toEqual([
      ['one', 'made', false],
      ['two', 'refused', false],
      ['three', 'failed', false],
      ['four', 'unknown', false],
      ['five', 'unknown', false],
    ]);
    expect(describeLedger(ledgerOf(fold(facts)))).toBe('5 writes: 1 made, 1 refused, 1 failed, 2 unknown');
  });

  it('[LED-superseded] does not count a write that a later call of the same tool to the same target made', () => {
    const made = [intended('3', 'b'), ended('3', 'done')];
    const before = [refused('1', 'b'), intended('2', 'b'), ended('2', 'failed'), refused('x', 'other')];
    expect(rows([...before, ...made])).toEqual([
      ['b', 'refused', true],
      ['b', 'failed', true],
      ['other', 'refused', false],
      ['b', 'made', false],
    ]);
    expect(openWrites(ledgerOf(fold([...before, ...made]))).map(({ target }) => target)).toEqual(['other']);
    // A later refusal is not superseded by an earlier successful write, and an unknown outcome stays unknown.
    expect(rows([...made, refused('1', 'b')]).at(-1)).toEqual(['b', 'refused', false]);
    expect(rows([intended('9', 'b'), ended('9', 'unknown'), ...made])[0]).toEqual(['b', 'unknown', false]);
    expect(describeLedger(ledgerOf(fold([...before, ...made])))).toBe('2 writes: 1 made, 1 refused');
    expect(describeLedger([{ outcome: 'refused', superseded: true }])).toBe('0 writes');
  });

  it('[LED-superseded] counts a refused approval until a call with equal arguments made the write', () => {
    const asked = (layer: string, hash: string): SessionFact =>
      ({ ...refused('1', 'b'), layer, hash }) as SessionFact;
    const made = [intended('2', 'b'), ended('2', 'done')];
    expect(rows([asked('approval', 'other'), ...made])[0]).toEqual(['b', 'refused', false]);
    expect(rows([asked('approval', 'h'), ...made])[0]).toEqual(['b', 'refused', true]);
    expect(rows([asked('approval', 'h'), intended('2', 'b'), ended('2', 'failed')])[0]?.[2]).toBe(false);
    // A call that another layer refused was wrong, and is corrected by one with other arguments.
    expect(rows([asked('arguments', 'other'), ...made])[0]).toEqual(['b', 'refused', true]);
    // Equal arguments are equal, however long their target is.
    const long = [intended('2', 'x'.repeat(2_000)), ended('2', 'done')];
    expect(rows([asked('approval', 'h'), ...long])[0]?.[2]).toBe(true);
  });

  it('[LED-superseded] does not confuse two targets that were truncated alike', () => {
    const cut = `${'x'.repeat(1_000)}…`;
    const facts = [refused('1', cut), intended('2', 'x'.repeat(2_000)), ended('2', 'done')];
    expect(rows(facts)[0]).toEqual([cut, 'refused', false]);
  });

  it('[LED-superseded] starts over with steps that are run again, and keeps completed writes', () => {
    const resumed: SessionFact = { type: 'run-resumed', turn: 0, runId: 'r', kept: ['b'] };
    const facts = [
      ...[refused('1', 'one'), intended('2', 'two'), ended('2', 'done')],
      ...[intended('3', 'three'), ended('3', 'failed'), refused('4', 'four', 'b'), resumed],
    ];
    expect(rows(facts)).toEqual([
      ['one', 'refused', true],
      ['two', 'made', false],
      ['three', 'failed', true],
      ['four', 'refused', false],
    ]);
  });

  it('[LED-entries] shows the user’s answer about a write with an unknown outcome', () => {
    const lost = [intended('1', 'one'), { type: 'run-interrupted', turn: 0, runId: 'r' } as const];
    const settled = (outcome: 'done' | 'failed'): SessionFact => ({
      type: 'write-settled',
      turn: 0,
      runId: 'r',
      callId: '1',
      outcome,
    });
    expect(rows(lost)).toEqual([['one', 'unknown', false]]);
    expect(rows([...lost, settled('done')])).toEqual([['one', 'made', false]]);
    expect(rows([...lost, settled('failed')])).toEqual([['one', 'failed', false]]);
  });
});
