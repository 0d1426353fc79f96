import { expect, it } from 'vitest';
import { codeOf, isDiskFull, writeHint } from './file-error';

const failed = (code: string) => Object.assign(new Error('write failed'), { code });

it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('%s means that there is no more room', (code) => {
  expect(isDiskFull(failed(code))).toBe(true);
  expect(writeHint(failed(code), 'Check the permissions.')).toBe('The disk is full.');
});

it('any other failure has the hint of its own place', () => {
  expect(writeHint(failed('EACCES'), 'Check the permissions.')).toBe('Check the permissions.');
  expect(codeOf(new Error('no code'))).toBe('unknown');
});
