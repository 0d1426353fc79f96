import { describe, expect, it } from 'vitest';
import { definitionHunks, definitionText, hunksText } from './definition-text';

describe('a definition as text', () => {
  it('[T6-10-4-ask-draft] has its fields in the order of the schema, one line per entry, without empty ones', () => {
    const fields = {
      Notes: '',
      Ddr: 'WFL-001',
      AutoStart: false,
      FollowUpOptions: [],
      Title: 'Review',
      InstructionText: '1. Read.\n2. Report.',
      UserIntentPatterns: ['Review it', 'Look at it'],
      RequiredInputs: [
        { name: 'size', question: '', required: true, validation: {}, none: null },
        { name: 'colour', validation: { options: ['red', 'green'], min: 2 } },
      ],
      AllowedTransitions: { workflows: ['a_one', 'b_one'], modes: [] },
      Extensions: {},
    };
    expect(definitionText(fields)).toBe(
      [
        'Title',
        '  Review',
        'UserIntentPatterns',
        '  - Review it',
        '  - Look at it',
        'RequiredInputs',
        '  - name: size · required: true · none: null',
        '  - name: colour · validation: options: red, green · min: 2',
        'InstructionText',
        '  1. Read.',
        '  2. Report.',
        'AutoStart',
        '  false',
        'AllowedTransitions',
        '  workflows: a_one, b_one',
        'Ddr',
        '  WFL-001',
        '',
      ].join('\n'),
    );
  });
});

describe('the difference between two definitions', () => {
  const before = { Title: 'Review', InstructionText: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n') };
  const after = { Title: 'Check', InstructionText: ['a', 'b', 'c', 'd', 'e', 'f', 'g', '-h'].join('\n') };

  it('[T6-10-4-ask-draft] is what was removed and added, with two lines around it', () => {
    expect(hunksText(definitionHunks(before, after))).toBe(
      [
        '  Title',
        '-   Review',
        '+   Check',
        '  InstructionText',
        '    a',
        '…',
        '    f',
        '    g',
        '-   h',
        '+   -h',
      ].join('\n'),
    );
  });

  it('says of each line what it is', () => {
    expect(definitionHunks({ Title: 'Review' }, { Title: 'Check' })).toEqual([
      {
        lines: [
          { kind: 'same', text: 'Title' },
          { kind: 'removed', text: '  Review' },
          { kind: 'added', text: '  Check' },
        ],
      },
    ]);
  });

  it('is everything for a new one, and nothing for the same', () => {
    expect(hunksText(definitionHunks(null, { Title: 'Check' }))).toBe('+ Title\n+   Check');
    expect(definitionHunks(before, { ...before, Notes: '' })).toEqual([]);
  });
});
