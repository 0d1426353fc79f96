import { describe, expect, it } from 'vitest';
import { parseEnforcedConstraint } from './plan-constraint';

describe('a constraint of a plan', () => {
  it.each(['no writes', 'No writes.', 'read-only', 'Read only', "Don't change anything", 'change nothing'])(
    '[PLN-constraints] %j is enforced: nothing is written',
    (text) => {
      expect(parseEnforcedConstraint(text)).toEqual({ kind: 'no-writes', text });
    },
  );

  it.each([
    ['only src/', 'src/'],
    ['Only under ./src/lib/', 'src/lib/'],
    ['only change files in `docs/`', 'docs/'],
    ['write only to docs/a.md', 'docs/a.md'],
    ['only src/**', 'src/'],
  ])('[PLN-constraints] %j is enforced: writes stay below %j', (text, prefix) => {
    expect(parseEnforcedConstraint(text)).toEqual({ kind: 'only-path', text, prefix });
  });

  it.each([
    ...[
      'only once',
      'only src',
      'only ../other/',
      'only /etc/',
      'only src/*.ts',
      'not src/',
      'at most 3 files',
    ],
    ...['no writes after noon', 'read only the first page', 'only https://example.org/', ''],
  ])('[PLN-constraints] %j is shown and sent, and not enforced', (text) => {
    expect(parseEnforcedConstraint(text)).toBeNull();
  });
});
