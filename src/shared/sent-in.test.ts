import { describe, expect, it } from 'vitest';
import { askFacts, sessionOf } from '../testing/sample-session';
import { placeAtHead } from './sent-in';
import type { SessionFact } from './session-event';
import { turnAt } from './session-state';

const line = (turn: number, parent?: number): readonly SessionFact[] =>
  askFacts({ turn, reply: `${turn}`, outcome: 'done' }).map((fact) =>
    fact.type === 'message-sent' && parent !== undefined ? { ...fact, parent } : fact,
  );
const cause = { commandId: 'SetMode' };
const mode = (to: string): SessionFact => ({ type: 'mode-changed', from: '', to, cause, reason: '' });
const header = { id: 'MAIL-7', displayName: 'Welcome' };
const focused: SessionFact = {
  type: 'context-changed',
  context: { domain: 'mail', entityType: 'email_template', entityHeader: header },
  cause,
  reason: '',
};
const released: SessionFact = { type: 'context-changed', context: null, cause, reason: '' };
const back = (turn: number): SessionFact => ({ type: 'branch-chosen', turn });
const focus = { entityType: 'email_template', header };

describe('[TREE-sent-in] the mode and the focus of a line', () => {
  const state = sessionOf([...line(0), mode('ddr'), focused, ...line(1), released, ...line(2)]);

  it('are those of the session when it was sent', () => {
    expect(turnAt(state, 0)).not.toHaveProperty('sentIn');
    expect(turnAt(state, 1)?.sentIn).toEqual({ modeId: 'ddr', focus });
    expect(turnAt(state, 2)?.sentIn).toEqual({ modeId: 'ddr' });
  });
});

describe('[TREE-place] the mode and the focus at the head', () => {
  const talk = [...line(0), mode('ddr'), focused, ...line(1), ...line(2), released];
  const at = (facts: readonly SessionFact[]) => placeAtHead(sessionOf([...talk, ...facts]), 'general');

  it('differ only after the session was taken back', () => {
    expect(at([])).toBeNull();
    expect(at([back(1)])).toEqual({ modeId: 'ddr', focus });
    // What the first line left behind is what the second was sent in.
    expect(at([back(0)])).toEqual({ modeId: 'ddr', focus });
    expect(at([focused, back(0)])).toBeNull();
    expect(at([back(1), ...line(3, 1)])).toBeNull();
  });

  it('know the default mode by its name and without one', () => {
    const general = [...line(0), ...line(1), mode('ddr'), ...line(2), mode('general'), ...line(3)];
    expect(placeAtHead(sessionOf([...general, back(0)]), 'general')).toBeNull();
    expect(placeAtHead(sessionOf([...general, back(1)]), 'general')).toEqual({ modeId: 'ddr' });
  });

  it('are those of the last line of a branch, unless it was a command', () => {
    const branches = [...line(0), mode('ddr'), ...line(1), mode('general'), ...line(2, 0), back(1)];
    expect(placeAtHead(sessionOf(branches), 'general')).toEqual({ modeId: 'ddr' });
    const item = { id: 'ddr', displayName: 'DDR' };
    const invoked = { commandId: 'SetMode', displayName: 'Switch mode', item };
    const command: SessionFact = { type: 'command-invoked', turn: 1, ...invoked };
    const commanded = [...branches.slice(0, -1), command, back(1)];
    expect(placeAtHead(sessionOf(commanded), 'general')).toBeNull();
  });
});
