import { describe, expect, it } from 'vitest';
import { inFile, modeRow, otherMode } from '../../testing/seed-rows';
import { checkModes, toModes } from './check-modes';

const check = (...rows: unknown[]) =>
  checkModes({
    rows: rows.map((row, index) => inFile(`modes/${index}.json`, row)),
    folder: 'modes',
    toolboxIds: new Set(['core']),
  });
const found = (...rows: unknown[]) =>
  check(...rows).map(({ file, field, rule }) => `${file} ${field} ${rule}`);

describe('the rules of the mode catalog', () => {
  it('accept correct rows, with or without a status', () => {
    expect(check(modeRow(), otherMode({ status: undefined }))).toEqual([]);
    expect(check(modeRow({ status: 'experimental' }), otherMode({ status: 'deprecated' }))).toEqual([]);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['lower case', '3f8e4f377f7a4c189c7f6a8b9f945c11'],
    ['with hyphens', '3F8E4F37-7F7A-4C18-9C7F-6A8B9F945C11'],
    ['one short', '3F8E4F377F7A4C189C7F6A8B9F945C1'],
    ['one long', '3F8E4F377F7A4C189C7F6A8B9F945C111'],
    ['no hexadecimal', 'GF8E4F377F7A4C189C7F6A8B9F945C11'],
    ['a number', 12],
    ['followed by a line break', '3F8E4F377F7A4C189C7F6A8B9F945C11\n'],
  ])('[AGN14-7-1-format] refuse an Id that is %s', (_what, id) => {
    expect(found(modeRow({ id }))).toEqual(['modes/0.json id mode-id-format']);
  });

  it('[AGN14-7-1-unique] refuse a duplicate Id, and name its first owner', () => {
    const problems = check(modeRow(), otherMode({ id: modeRow().id }));
    expect(problems).toMatchObject([{ file: 'modes/1.json', field: 'id', rule: 'mode-id-unique' }]);
    expect(problems[0]?.reason).toContain('modes/0.json');
    expect(problems[0]?.reason).toContain('The mode "tickets"');
  });

  it.each([undefined, '', 'General', 'ddr-authoring', 'a b', 'é', 7])(
    '[AGN14-7-2-format] refuse the key %j',
    (key) => expect(found(modeRow({ key }))).toEqual(['modes/0.json key mode-key-format']),
  );

  it('[AGN14-7-2-unique] refuse a duplicate key', () => {
    expect(found(modeRow(), otherMode({ key: 'general' }))).toEqual(['modes/1.json key mode-key-unique']);
  });

  it('[AGN14-7-3-default] refuse no default mode, or two', () => {
    expect(found(modeRow({ isDefault: false }))).toEqual(['modes isDefault one-default']);
    expect(found(modeRow(), otherMode({ isDefault: true }))).toEqual(['modes/1.json isDefault one-default']);
    expect(found()).toEqual(['modes isDefault one-default']);
  });

  it.each([undefined, 'true', 1, null])(
    '[AGN14-7-3-others] refuse IsDefault %j, which is neither true nor false',
    (isDefault) =>
      expect(found(modeRow(), otherMode({ isDefault }))).toEqual(['modes/1.json isDefault one-default']),
  );

  it.each([undefined, '', '   ', null, 5])('[AGN14-7-4-present] refuse WhenToUse %j', (whenToUse) => {
    expect(found(modeRow({ whenToUse }))).toEqual(['modes/0.json whenToUse when-to-use']);
  });

  it('[AGN14-7-4-inline] require WhenToUse to be one line of at most 240 characters', () => {
    expect(found(modeRow({ whenToUse: 'x'.repeat(240) }))).toEqual([]);
    for (const whenToUse of ['x'.repeat(241), 'one\ntwo', 'one\u2028two', 'one\ttwo']) {
      expect(found(modeRow({ whenToUse }))).toEqual(['modes/0.json whenToUse when-to-use']);
    }
  });

  it.each(['Active', 'retired', '', null, 1])('[AGN14-7-5-status] refuse the status %j', (status) => {
    expect(found(modeRow({ status }))).toEqual(['modes/0.json status status']);
  });

  it('[AGN14-3-fields] refuse a field that differs from AGN-014 §3', () => {
    expect(found(modeRow({ associatedToolIds: 'all' }))).toEqual([
      'modes/0.json associatedToolIds mode-shape',
    ]);
    expect(found(modeRow({ surprise: 1 }))).toEqual(['modes/0.json  mode-shape']);
    expect(found(modeRow({ version: undefined }))).toEqual(['modes/0.json version mode-shape']);
  });

  it('[AGN37-5-mode-toolboxes] let a mode name several existing toolboxes', () => {
    expect(found(modeRow({ toolboxIds: ['core', 'core', 'lost'] }))).toEqual([
      'modes/0.json toolboxIds.2 toolbox-known',
    ]);
  });

  it.each([null, 'text', 3, [], [modeRow()]])('refuse a row that is not an object: %j', (row) => {
    const rules = check(modeRow(), row).map(({ rule }) => rule);
    expect(rules).toContain('mode-id-format');
    expect(rules).toContain('when-to-use');
  });

  it('[AGN14-7-all] report all violations at once, each with its file', () => {
    const rows = [
      modeRow({ id: 'x', status: 'gone' }),
      otherMode({ key: 'A', whenToUse: '', isDefault: true }),
    ];
    expect(found(...rows)).toEqual([
      'modes/0.json id mode-id-format',
      'modes/0.json status status',
      'modes/1.json key mode-key-format',
      'modes/1.json whenToUse when-to-use',
      'modes/1.json isDefault one-default',
    ]);
  });
});

describe('catalog order', () => {
  it('starts with the default mode, then follows the rows', () => {
    const rows = [otherMode(), otherMode({ key: 'third' }), modeRow()].map((row) => inFile('f', row));
    expect(toModes(rows).map(({ key }) => key)).toEqual(['general', 'tickets', 'third']);
  });
});
