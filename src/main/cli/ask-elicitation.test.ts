import { describe, expect, it, vi } from 'vitest';
import type { Elicitation } from '#shared/elicitation';
import type { Language } from '#shared/language';
import { createElicitationQueue } from '../../core/tools/elicitation-queue';
import { askElicitations } from './ask-elicitation';
import type { Terminal } from './output';
import { createTurns } from './turns';

const named = { description: '', required: true };
const form: Elicitation = {
  server: 'shop',
  message: 'What is it to be?',
  fields: [
    { ...named, kind: 'number', name: 'count', label: 'How many', whole: true, minimum: 1 },
    { ...named, kind: 'yes-no', name: 'gift', label: 'A gift', required: false, initial: true },
    {
      ...named,
      kind: 'some-of',
      name: 'kinds',
      label: 'Which',
      options: [
        { value: 'a', label: 'Apples' },
        { value: 'p', label: 'Pears' },
      ],
    },
  ],
};

/** A terminal that receives these lines, over the real elicitation queue. */
function terminalOf(lines: (string | null)[], reads = true, language: Language = 'en') {
  const logged: string[] = [];
  const readLine = vi.fn((_prompt: string, options?: { signal?: AbortSignal }) => {
    const line = lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return new Promise<null>((resolve) => options?.signal?.addEventListener('abort', () => resolve(null)));
  });
  const terminal = {
    log: (text: string) => logged.push(text),
    readLine,
    language,
    inTurn: createTurns(),
  } as unknown as Terminal;
  let made = 0;
  const elicitations = createElicitationQueue({ next: (prefix) => `${prefix}_${(made += 1)}` });
  askElicitations({ elicitations }, terminal, reads);
  return { elicitations, logged, readLine };
}

const never = new AbortController().signal;

describe('questions from servers at the terminal', () => {
  it('[MCP-elicit-terminal] are asked field by field, each until it is valid', async () => {
    const { elicitations, logged } = terminalOf(['y', 'many', '0', '2', '', '1, pears']);
    expect(await elicitations.elicit(form, never)).toEqual({
      action: 'accept',
      content: { count: 2, gift: true, kinds: ['a', 'p'] },
    });
    expect(logged.join('\n')).toContain('The server shop asks:\n  What is it to be?');
    expect(logged).toEqual(expect.arrayContaining(['Type a number.', 'Type 1 or more.']));
  });

  it.each([
    ['n', 'decline'],
    ['', 'decline'],
    [null, 'cancel'],
  ])('[MCP-elicit-terminal] with %j instead of a yes: %s', async (line, action) => {
    const { elicitations } = terminalOf([line]);
    expect(await elicitations.elicit(form, never)).toEqual({ action });
  });

  it.each<[Language, string, string[], object]>([
    ['en', 'Type y or yes, or n or no.', ['maybe', 'Y', 'ja', 'N'], { gift: false }],
    ['en', 'Type y or yes, or n or no.', ['j', ' yes ', 'nein', 'YES'], { gift: true }],
    ['de', 'Type y, yes, j or ja, or n, no or nein.', ['jawohl', 'j', 'neinn', 'Nein'], { gift: false }],
    ['de', 'Type y, yes, j or ja, or n, no or nein.', ['jein', 'yes', 'yo', 'JA'], { gift: true }],
  ])(
    '[MCP-elicit-terminal] in %s say “%s” until a line is a yes or a no',
    async (language, hint, lines, content) => {
      const { elicitations, logged } = terminalOf(lines, true, language);
      const fields = form.fields.filter(({ kind }) => kind === 'yes-no');
      expect(await elicitations.elicit({ ...form, fields }, never)).toEqual({ action: 'accept', content });
      expect(logged.filter((line) => line.startsWith('Type'))).toEqual([hint, hint]);
    },
  );

  it('[MCP-elicit-terminal] are declined by a no in German', async () => {
    const { elicitations } = terminalOf(['nein'], true, 'de');
    expect(await elicitations.elicit(form, never)).toEqual({ action: 'decline' });
  });

  it('[MCP-elicit-ends] release the prompt when they end unanswered, and the next is asked', async () => {
    const { elicitations, readLine } = terminalOf(['y']);
    const stop = new AbortController();
    const first = elicitations.elicit(form, stop.signal);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledTimes(2), 15_000);
    stop.abort();
    expect(await first).toEqual({ action: 'cancel' });
    void elicitations.elicit({ ...form, fields: [] }, never);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledTimes(3), 15_000);
  });

  it('[MCP-elicit-nobody] are declined immediately without a terminal', async () => {
    const { elicitations, readLine } = terminalOf([], false);
    expect(await elicitations.elicit(form, never)).toEqual({ action: 'decline' });
    expect(readLine).not.toHaveBeenCalled();
  });
});
