import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { checkTexts } from './check-texts';
import { fieldsOf } from './check-texts';

const found = (fields: Parameters<typeof sampleWorkflow>[0]) => checkTexts(fieldsOf(sampleWorkflow(fields)));
const asking = (question: string) => ({
  RequiredInputs: [{ name: 'a', question, type: 'text', required: true, validation: {} } as const],
});

describe('[T6-10-2-validate] [T6-8-2-approval] texts to approve are exactly the texts shown', () => {
  it('accept every script, line breaks and tabs', () => {
    expect(found({ Title: 'לבדוק את השינויים', InstructionText: 'One.\r\n\tTwo. 👩‍💻 é' })).toEqual([]);
  });

  it.each(['\u202e', '\u202c', '\u2066', '\u2069'])(
    'refuse characters that change the text direction: %j',
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
    'refuse invisible characters at any depth: %j',
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
