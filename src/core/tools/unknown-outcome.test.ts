import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { toReadError, toWriteError, writeNotRepeated } from './unknown-outcome';

const plain = appError('TOOL', 'TIMEOUT', 'No answer.', { retryable: true, hint: 'Try again.' });
const lost = { ...plain, outcome: 'unknown' as const };

it('a write with an unknown outcome says so and may not be retried; another error stays as it is', () => {
  expect(toWriteError(lost)).toEqual({
    ...lost,
    message: 'No answer. Whether it happened is unknown.',
    hint: 'Check whether it happened before you repeat it.',
    retryable: false,
  });
  expect(toWriteError(plain)).toBe(plain);
});

it('a read with an unknown outcome has simply failed', () => {
  expect(toReadError(lost)).toEqual(plain);
});

it('a write that is not repeated names the tool and what to do', () => {
  expect(writeNotRepeated('mcp://a.b')).toMatchObject({
    kind: 'HOST',
    code: 'STATE',
    tool: 'mcp://a.b',
    message: expect.stringMatching(/^mcp:\/\/a\.b was already called .* not repeated\.$/) as string,
    hint: expect.stringContaining('resume') as string,
  });
});
