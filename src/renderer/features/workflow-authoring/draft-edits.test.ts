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

describe('[T6-10-panel-conflict] what is typed into a draft that others change', () => {
  it('a field somebody else changed is a conflict, and is not saved; the others are', () => {
    const typing = applyEdit(mine, ['Version', '2.0.0']);
    const conflicts = conflictsOf(typing, { ...draft, Title: 'Theirs' });
    expect(conflicts).toEqual([{ field: 'Title', yours: 'Mine', theirs: 'Theirs' }]);
    expect(savable(typing, conflicts)).toEqual({ Version: '2.0.0' });
  });

  it('the same change, and a change of another field, are none', () => {
    expect(conflictsOf(mine, { ...draft, Title: 'Mine' })).toEqual([]);
    expect(conflictsOf(mine, { ...draft, Version: '3.0.0' })).toEqual([]);
  });

  it('a field taken away by somebody else is one', () => {
    const notes = applyEdit(rebase(nothing, { ...draft, Notes: 'Old' }), ['Notes', 'Mine']);
    expect(conflictsOf(notes, draft)).toEqual([{ field: 'Notes', yours: 'Mine', theirs: null }]);
  });

  it('what comes back from a save is nobody else’s, while one goes on typing', () => {
    const further = applyEdit(markSent(mine, { Title: 'Mine' }), ['Title', 'Mine and more']);
    const saved = { ...draft, Title: 'Mine' };
    expect(conflictsOf(further, saved)).toEqual([]);
    const after = applySaved(further, { Title: 'Mine' });
    expect(after.edits).toEqual({ Title: { value: 'Mine and more', from: 'Mine' } });
    expect(conflictsOf(after, { ...draft, Title: 'Theirs' })).toHaveLength(1);
    expect(applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' }).edits).toEqual({});
  });

  it('a key that is taken before what was just saved is drawn was typed over what was saved', () => {
    const saved = applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' });
    const further = applyEdit(saved, ['Title', 'Mine too']);
    expect(conflictsOf(further, { ...draft, Title: 'Mine' })).toEqual([]);
    expect(conflictsOf(further, { ...draft, Title: 'Theirs' })).toHaveLength(1);
  });

  it('what was saved long ago is somebody else’s when it comes back after a new key', () => {
    const done = applySaved(markSent(mine, { Title: 'Mine' }), { Title: 'Mine' });
    const again = applyEdit(rebase(done, { ...draft, Title: 'Theirs' }), ['Title', 'Theirs and mine']);
    expect(conflictsOf(again, { ...draft, Title: 'Mine' })).toHaveLength(1);
  });

  it('ends with a choice: mine is saved over theirs, or theirs stands', () => {
    const now = { ...draft, Title: 'Theirs' };
    const [conflict] = conflictsOf(mine, now);
    if (!conflict) throw new Error('There is no conflict.');
    const kept = chooseLocal(mine, conflict);
    expect(conflictsOf(kept, now)).toEqual([]);
    expect(savable(kept, [])).toEqual({ Title: 'Mine' });
    expect(withEdits(now, acceptRemote(mine, conflict))).toEqual(now);
  });

  it('is kept with what it was typed over, so that a restart finds the conflict too', () => {
    const again = readEdits(editsText(mine), draft);
    expect(conflictsOf(again, { ...draft, Title: 'Theirs' })).toHaveLength(1);
    expect(readEdits('{"Title":"of another time"}', draft)).toEqual(nothing);
    expect(readEdits('not JSON', draft)).toEqual(nothing);
    expect(editsText(nothing)).toBe('');
  });
});
