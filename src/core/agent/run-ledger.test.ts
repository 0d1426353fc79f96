import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#shared/ledger';
import type { SessionFact } from '#shared/session-event';
import { createRunLedger, writeLine, writeReports, writesText } from './run-ledger';

const entry = (target: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ callId: `call-${target}`, nodeId: 'work', tool: 'mcp://box.put', target },
  ...{ outcome: 'made', undo: 'possible' },
  ...more,
});
const many = (count: number, name: string, more: Partial<LedgerEntry> = {}) =>
  Array.from({ length: count }, (_, at) => entry(`${name}${at}`, more));

describe('[LED-answer] the list of writes under an answer', () => {
  it.each<[Partial<LedgerEntry>, string]>([
    [{}, 'made: box.put a'],
    [{ superseded: true }, 'made: box.put a'],
    [{ outcome: 'refused' }, 'refused: box.put a'],
    [{ outcome: 'refused', layer: 'approval' }, 'refused (approval): box.put a'],
    [
      { outcome: 'refused', layer: 'approval', superseded: true },
      'refused, superseded later (approval): box.put a',
    ],
    [{ outcome: 'failed' }, 'failed: box.put a'],
    [{ outcome: 'failed', code: 'TOOL/FAILED' }, 'failed (TOOL/FAILED): box.put a'],
    [{ outcome: 'failed', superseded: true }, 'failed, superseded later: box.put a'],
    [{ outcome: 'unknown' }, 'outcome unknown: box.put a'],
    [{ target: '' }, 'made: box.put'],
  ])('has the line of %j: %s', (more, line) => {
    expect(writeLine(entry('a', more))).toBe(line);
  });

  it('is empty without a write', () => {
    expect(writesText([])).toBe('');
  });

  it('counts the writes and lists them in their order, with targets that are no markup', () => {
    const writes = [entry('a|b'), entry('c', { outcome: 'refused', layer: 'approval' }), entry('d')];
    expect(writesText(writes)).toBe(
      '3 writes: 2 made, 1 refused.\n\n- made: box.put a\\|b\n- refused (approval): box.put c\n- made: box.put d',
    );
  });

  it('lists 50 writes; those that were made are left out first', () => {
    const lines = (writes: readonly LedgerEntry[]) => writesText(writes).split('\n').slice(2);
    expect(lines(many(50, 'a'))).toHaveLength(50);
    const made = lines([...many(49, 'a'), ...many(3, 'b'), ...many(2, 'c', { outcome: 'refused' })]);
    expect(made).toHaveLength(51);
    expect(made.filter((line) => line.startsWith('- refused'))).toHaveLength(2);
    expect(made.at(-1)).toBe('- … and 4 more');
    expect(made).toContain('- made: box.put a47');
    expect(made).not.toContain('- made: box.put a48');
    const refused = lines([...many(1, 'a'), ...many(60, 'c', { outcome: 'refused' })]);
    expect(refused).toHaveLength(51);
    expect(refused.at(-1)).toBe('- … and 11 more');
    expect(refused.join()).not.toContain('made');
  });

  it('is part of the report, each with its step', () => {
    const more = { layer: 'approval', code: 'POLICY/APPROVAL_DENIED' };
    const { nodeId, ...rest } = entry('a', more);
    expect(writeReports([entry('a', more)])).toStrictEqual([{ ...rest, node: nodeId }]);
  });
});

describe('the writes of a run', () => {
  const call = { turn: 0, runId: 'r', nodeId: 'work', callId: 'c', tool: 'mcp://box.put' };
  const intended = {
    ...{ ...call, type: 'write-intended', arguments: { path: 'a' }, hash: 'h' },
  } as unknown as SessionFact;
  const made = { type: 'tool-called', call: { ...call, outcome: 'done' } } as unknown as SessionFact;
  const asked = (approvalId: string, nodeId: string) =>
    ({ type: 'approval-requested', approvalId, nodeId }) as unknown as SessionFact;
  const answered = (approvalId: string, said?: string) =>
    ({
      type: 'approval-answered',
      approvalId,
      approved: false,
      ...(said && { said }),
    }) as unknown as SessionFact;

  it('[STG-cancelled] are under way from the intent to the outcome', () => {
    const ledger = createRunLedger();
    expect(ledger.isWriting()).toBe(false);
    ledger.note([intended]);
    expect(ledger.isWriting()).toBe(true);
    ledger.note([made]);
    expect(ledger.isWriting()).toBe(false);
    expect(ledger.entries()).toMatchObject([{ callId: 'c', nodeId: 'work', target: 'a', outcome: 'made' }]);
    ledger.note([{ ...intended, callId: 'd' } as unknown as SessionFact]);
    expect(ledger.isWriting()).toBe(true);
  });

  it('[APR-instead] give the words of the user about the refused calls of these steps, once each', () => {
    const prior = [
      { approvalId: '1', nodeId: 'a', said: 'Use b.' },
      { approvalId: '2', nodeId: 'a' },
      { approvalId: '3', nodeId: 'b' },
    ];
    const ledger = createRunLedger({ writes: [], approvals: prior as never });
    ledger.note([asked('4', 'c'), answered('4', 'Not now.'), answered('3', 'Use b.'), answered('2')]);
    ledger.note([asked('5', 'a'), answered('5', 'Use b.'), answered('unknown', 'Lost.')]);
    expect(ledger.insteadTexts(new Set(['a']))).toEqual(['Use b.']);
    expect(ledger.insteadTexts(new Set(['b', 'c']))).toEqual(['Not now.', 'Use b.']);
    expect(ledger.insteadTexts(new Set(['d']))).toEqual([]);
  });
});
