import { appError } from '#shared/app-error';
import { describe, expect, it } from 'vitest';
import { byFile, failingPacks, problemText } from './start-refused';

const row = (file: string, field: string, pack?: string) => ({
  file,
  field,
  rule: 'mode-key-format',
  reason: 'It is not lowercase.',
  ...(pack !== undefined && { pack }),
});

describe('the report of a refused start', () => {
  it('groups findings by file and keeps their order', () => {
    const rows = [row('/b.json', 'key'), row('/a.json', 'id'), row('/b.json', 'id')];
    expect(byFile(rows)).toEqual([
      { file: '/b.json', problems: [rows[0], rows[2]] },
      { file: '/a.json', problems: [rows[1]] },
    ]);
  });

  it('contains every finding as text, with its file, field, rule and reason', () => {
    const error = appError('CONFIG', 'INVALID', 'Not valid.', {
      problems: [row('/b.json', 'key'), row('/a.json', '')],
      hint: 'Fix them.',
    });
    expect(problemText(error)).toBe(
      [
        'CONFIG/INVALID: Not valid.',
        '/b.json\n  key · mode-key-format: It is not lowercase.',
        '/a.json\n  mode-key-format: It is not lowercase.',
        'Fix them.',
      ].join('\n'),
    );
  });

  it('offers to skip packs only when that would help', () => {
    expect(failingPacks([row('/p/x/a.json', 'id', 'x'), row('/p/x/b.json', 'id', 'x')])).toEqual(['x']);
    expect(failingPacks([row('/p/x/a.json', 'id', 'x'), row('/seeds/b.json', 'id')])).toEqual([]);
    expect(failingPacks([])).toEqual([]);
  });
});
