import { expect, it } from 'vitest';
import { appError, otherProblems, type ConfigProblem } from './app-error';

const problem = (file: string, field: string, reason: string): ConfigProblem => ({
  file,
  field,
  rule: 'r',
  reason,
});
const placesOf = (message: string, problems: ConfigProblem[]) =>
  otherProblems(appError('CONFIG', 'INVALID', message, { problems })).map(({ file, field }) => [file, field]);

it('[ERR-each-once] leaves out only the problem that the message names, not one with the same reason', () => {
  const problems = ['allow', 'deny'].map((field) => problem('/p/c.json', field, 'must be a list'));
  expect(placesOf('/p/c.json is not valid: allow: must be a list', problems)).toEqual([
    ['/p/c.json', 'deny'],
  ]);
  const files = ['/p/a.json', '/p/b.json'].map((file) => problem(file, 'x', 'is missing'));
  expect(placesOf('/p/a.json: x: is missing', files)).toEqual([['/p/b.json', 'x']]);
  const inner = problem('/p/c.json', 'b', 'is missing');
  expect(placesOf('/p/c.json is not valid: a.b: is missing', [inner])).toEqual([['/p/c.json', 'b']]);
});

it('[ERR-each-once] leaves out each problem that is a line of the message', () => {
  const problems = ['a: no tool', 'b: no tool'].map((reason) => problem('plan', 'plan', reason));
  expect(placesOf('a: no tool\nb: no tool', problems)).toEqual([]);
});
