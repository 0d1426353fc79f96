import { describe, expect, it } from 'vitest';
import { emptySession, type Turn } from '#shared/session-state';
import { titleByCommand, titleByLine, titleFrom } from './session-title';

/** A session with one unanswered turn, titled after its line. */
function sessionOfLine(text: string, action: { readonly type: string }) {
  const turn = { turn: 0, text, route: { action } } as unknown as Turn;
  return { ...emptySession('s'), title: text, turnCount: 1, blocks: [[turn]] };
}

describe('the title of a session', () => {
  it('is a command only until the first line for a model', () => {
    expect(titleByCommand(emptySession('s'), '/mode ddr')).toMatchObject([{ title: '/mode ddr' }]);
    const named = sessionOfLine('/mode ddr', { type: 'invoke-command' });
    expect(titleByCommand(named, '/mode general')).toEqual([]);
    expect(titleByLine(named, 'Why SQLite?')).toMatchObject([{ title: 'Why SQLite?' }]);
  });

  it('is the first line for a model, also while that one waits, and the user’s own title', () => {
    const waiting = sessionOfLine('Why SQLite?', { type: 'continue-with-llm' });
    expect(titleByLine(waiting, 'And why not?')).toEqual([]);
    const renamed = { ...sessionOfLine('/mode ddr', { type: 'invoke-command' }), title: 'Mine' };
    expect(titleByLine(renamed, 'Why SQLite?')).toEqual([]);
  });

  it.each([
    ['a code block', '```ts\nconst one = 1;\n```', 'const one = 1;'],
    ['front matter', '---\ntitle: Notes\n---', 'title: Notes'],
    ['marks alone', '?!', '?!'],
  ])('is the first line with words of %s', (_name, text, title) => {
    expect(titleFrom(text)).toBe(title);
  });
});
