import { expect, it } from 'vitest';
import { globalsFirst } from './globals-first';

it.each([
  [
    ['ask', 'hi', '--json'],
    ['--json', 'ask', 'hi'],
  ],
  [
    ['ask', '--project', 'p', 'hi'],
    ['--project', 'p', 'ask', 'hi'],
  ],
  [
    ['ask', 'hi', '--home=h', '--project=p'],
    ['--home=h', '--project=p', 'ask', 'hi'],
  ],
  [
    ['ask', 'hi', '--project', '--json'],
    ['--project', '--json', 'ask', 'hi'],
  ],
  [
    ['ask', '--', '--json'],
    ['ask', '--', '--json'],
  ],
  [
    ['ask', 'hi', '--project'],
    ['--project', 'ask', 'hi'],
  ],
  [[], []],
])('%j is read as %j', (argv, read) => {
  expect(globalsFirst(argv)).toEqual(read);
});
