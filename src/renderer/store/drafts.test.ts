import { describe, expect, it } from 'vitest';
import { createMemoryStorage as memory } from '../../testing/memory-storage';
import { createDrafts, type DraftStorage } from './drafts';

const open = (storage: DraftStorage) => createDrafts({ storage, defer: (save) => save() });

describe('drafts', () => {
  it('survive a reload with their folds', () => {
    const storage = memory();
    open(storage).write('s', 'see this: long text', [[10, 19]]);
    const again = open(storage);
    expect(again.read('s')).toBe('see this: long text');
    expect(again.folds('s')).toEqual([[10, 19]]);
  });

  it('leave nothing behind once they are sent', () => {
    const storage = memory();
    const drafts = open(storage);
    drafts.write('s', 'long', [[0, 4]]);
    drafts.write('s', '');
    expect(storage.kept.size).toBe(0);
  });

  it('are folded as before when they could not be sent', () => {
    const drafts = open(memory());
    drafts.write('new', 'see this: long text', [[10, 19]]);
    drafts.write('new', '');
    drafts.write('s', 'see this: long text');
    expect(drafts.folds('s')).toEqual([[10, 19]]);
    drafts.write('s', 'another');
    expect(drafts.folds('s')).toEqual([]);
  });

  it('stay stored while they are being sent, before what is typed next', () => {
    const storage = memory();
    const drafts = open(storage);
    drafts.write('s', 'see this: long text', [[10, 19]]);
    drafts.write('s', '');
    const sending = drafts.sending('s', 'see this: long text');
    drafts.write('s', 'next', [[0, 4]]);
    expect(drafts.read('s')).toBe('next');
    const again = open(storage);
    expect([again.read('s'), again.folds('s')]).toEqual([
      'see this: long text\n\nnext',
      [
        [10, 19],
        [21, 25],
      ],
    ]);
    sending.sent();
    expect(open(storage).read('s')).toBe('next');
  });

  it('return folded to the draft that theirs has become, when they are refused', () => {
    const storage = memory();
    const drafts = open(storage);
    drafts.write('new', 'long', [[0, 4]]);
    drafts.write('new', '');
    const sending = drafts.sending('new', 'long');
    drafts.write('s', 'next');
    sending.refused('s');
    expect([drafts.read('s'), drafts.folds('s')]).toEqual(['long\n\nnext', [[0, 4]]]);
    expect(open(storage).read('new')).toBe('');
  });

  it.each(['{', '[[0]]', '[[0,99]]', '[[3,1]]', '[[0,3],[2,4]]', '[[-1,2]]'])(
    'show the plain text when their folds are damaged: %s',
    (damaged) => {
      const storage = memory();
      storage.kept.set('patina.draft.s', 'text').set('patina.draft-folds.s', damaged);
      expect(open(storage).read('s')).toBe('text');
      expect(open(storage).folds('s')).toEqual([]);
    },
  );

  it('keep items that earlier versions stored with them', () => {
    const storage = memory();
    storage.kept.set('patina.draft-items', '{"s1":{"items":[1]},"s2":{"items":[2]}}');
    const drafts = open(storage);
    expect(drafts.keysWithItems()).toEqual(['s1', 's2']);
    expect(drafts.readItems('s2')).toEqual({ items: [2] });
    expect(storage.kept.has('patina.draft-items')).toBe(false);
  });

  it('last as long as the window when they cannot be stored', () => {
    const drafts = open(memory(true));
    drafts.write('s', 'kept in memory');
    expect(drafts.read('s')).toBe('kept in memory');
  });
});
