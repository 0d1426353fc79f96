import { describe, expect, it } from 'vitest';
import {
  conflictsOf,
  chooseLocal,
  rebase,
  readEdits,
  savable,
  markSent,
  applySaved,
  acceptRemote,
  applyEdit,
  editsText,
  withEdits,
  type DraftEdits,
} from './draft-edits';

const draft = { Title: 'Old', Version: '1.0.0' };
const nothing: DraftEdits = { edits: {}, sent: {}, known: draft };
const mine = applyEdit(nothing, ['Title', 'Mine']);

describe('[T6-10-panel-conflict] local edits to a draft that others change', () => {
  it('conflict in a field that somebody else changed, which is not saved; the others are', () => {
    const typing = applyEdit(mine, ['Version', '2.0.0']);
    const conflicts = conflictsOf(typing, { ...draft, Title: 'Theirs' });
    expect(conflicts).toEqual([{ field: 'Title', yours: 'Mine', theirs: 'Theirs' }]);
    expect(savable(typing, conflicts)).toEqual({ Version: '2.0.0' });
  });

  it('do not conflict with the same change or a change of another field', () => {
    expect(conflictsOf(mine, { ...draft, Title: 'Mine' })).toEqual([]);
    expect(conflictsOf(mine, { ...draft, Version: '3.0.0' })).toEqual([]);
  });

  it('conflict with a field that somebody else removed', () => {
    const notes = applyEdit(rebase(nothing, { ...draft, Notes: 'Old' }), ['Notes', 'Mine']);
    expect(conflictsOf(notes, draft)).toEqual([{ field: 'Notes', yours: 'Mine', theirs: null }]);
  });

  it('do not conflict with the result of a save while the user keeps typing', () => {
    const further = applyEdit(markSent(mine, { Title: 'Mine' }), ['Title', 'Mine and more']);
    const saved = { ...draft, Title: 'Mine' };
    expect(conflictsOf(further, saved)).toEqual([]);
    const after = applySaved(further, { Title: 'Mine' });
    expect(after.edits).toEqual({ Title: { value: 'Mine and more', from: 'Mine' } });
    expect(conflictsOf(after, { ...draft, Title: 'Theirs' })).toHaveLength(1);
    expect(applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' }).edits).toEqual({});
  });

  it('were made on top of a save that has not been drawn yet', () => {
    const saved = applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' });
    const further = applyEdit(saved, ['Title', 'Mine too']);
    expect(conflictsOf(further, { ...draft, Title: 'Mine' })).toEqual([]);
    expect(conflictsOf(further, { ...draft, Title: 'Theirs' })).toHaveLength(1);
  });

  it('conflict with an old save that returns after a new key press', () => {
    const done = applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' });
    const again = applyEdit(rebase(done, { ...draft, Title: 'Theirs' }), ['Title', 'Theirs and mine']);
    expect(conflictsOf(again, { ...draft, Title: 'Mine' })).toHaveLength(1);
  });

  it('end with a choice: mine is saved over theirs, or theirs stays', () => {
    const now = { ...draft, Title: 'Theirs' };
    const [conflict] = conflictsOf(mine, now);
    if (!conflict) throw new Error('There is no conflict.');
    const kept = chooseLocal(mine, conflict);
    expect(conflictsOf(kept, now)).toEqual([]);
    expect(savable(kept, [])).toEqual({ Title: 'Mine' });
    expect(withEdits(now, acceptRemote(mine, conflict))).toEqual(now);
  });

  it('are stored with their base, so a restart finds the conflict too', () => {
    const again = readEdits(editsText(mine), draft);
    expect(conflictsOf(again, { ...draft, Title: 'Theirs' })).toHaveLength(1);
    expect(readEdits('{"Title":"of another time"}', draft)).toEqual(nothing);
    expect(readEdits('not JSON', draft)).toEqual(nothing);
    expect(editsText(nothing)).toBe('');
  });
});
