import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { checkTexts } from './check-texts';
import { fieldsOf } from './check-texts';

const found = (fields: Parameters<typeof sampleWorkflow>[0]) => checkTexts(fieldsOf(sampleWorkflow(fields)));
const asking = (question: string) => ({
  RequiredInputs: [{ name: 'a', question, type: 'text', required: true, validation: {} } as const],
});

describe('[T6-10-2-validate] [T6-8-2-approval] what is approved is what is read', () => {
  it('takes every writing as it is, with line breaks and tabs', () => {
    expect(found({ Title: 'לבדוק את השינויים', InstructionText: 'One.\r\n\tTwo. 👩‍💻 é' })).toEqual([]);
  });

  it.each(['\u202e', '\u202c', '\u2066', '\u2069'])(
    'refuses what turns the direction of text: %j',
    (sign) => {
      expect(found({ InstructionText: `Read the file.${sign}` })).toEqual([
        {
          field: 'InstructionText',
          message: expect.stringMatching(/^InstructionText contains .*change the text direction/) as string,
        },
      ]);
    },
  );

  it.each(['\u0000', '\u001b[31m', '\ud800', '\u0085'])(
    'refuses what nobody sees, however deep: %j',
    (sign) => {
      expect(found(asking(`A${sign}?`))).toEqual([
        {
          field: 'RequiredInputs',
          message: expect.stringContaining('invisible control characters') as string,
        },
      ]);
    },
  );
});
