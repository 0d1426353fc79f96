import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createLineReader } from './line-reader';

function open({ terminal = false } = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const onInterrupt = vi.fn();
  const reader = createLineReader({ input, output, terminal, onInterrupt });
  const shown = () => String(output.read() ?? '');
  /** Resolves when the reader has consumed everything written so far. */
  const read = (text: string) =>
    new Promise<void>((done) => input.write(text, () => setImmediate(() => setImmediate(done))));
  return { input, reader, read, shown, onInterrupt };
}

describe('the line reader', () => {
  it('loses no line of a pipe, however they arrive, and ends with it', async () => {
    const { input, reader } = open();
    input.end('one\ntwo\r\nthree');
    expect(await reader.next('> ')).toBe('one');
    expect(await reader.next('> ')).toBe('two');
    expect(await reader.next('> ')).toBe('three');
    expect(await reader.next('> ')).toBeNull();
  });

  it('shows the prompt at a terminal only', async () => {
    const piped = open();
    piped.input.end('x\n');
    await piped.reader.next('ask> ');
    expect(piped.shown()).toBe('');
    const typed = open({ terminal: true });
    const line = typed.reader.next('ask> ');
    expect(typed.shown()).toContain('ask> ');
    await typed.read('x\n');
    expect(await line).toBe('x');
    typed.reader.close();
  });

  it('reads on after the program was suspended with Ctrl+Z and continued', async () => {
    const { reader, read, shown, onInterrupt } = open({ terminal: true });
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const line = reader.next('ask> ');
    await read('\u001A');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTSTP');
    kill.mockRestore();
    shown();
    process.emit('SIGCONT');
    expect(shown()).toContain('ask> ');
    await read('\u0003');
    expect(onInterrupt).toHaveBeenCalledOnce();
    await read('x\n');
    expect(await line).toBe('x');
    reader.close();
  });

  it('withdraws a question without consuming the line after it', async () => {
    const { reader, read } = open({ terminal: true });
    const over = new AbortController();
    const question = reader.next('Sure? ', { signal: over.signal });
    over.abort();
    expect(await question).toBeNull();
    expect(await reader.next('Sure? ', { signal: over.signal })).toBeNull();
    await read('a line\n');
    expect(await reader.next('> ')).toBe('a line');
    reader.close();
  });

  it('[CLI-paste] takes pasted lines as one text, which waits for Enter', async () => {
    const { reader, read, shown } = open({ terminal: true });
    expect(shown()).toContain('\u001B[?2004h');
    const line = reader.next('> ');
    const taken = vi.fn((_: string) => true);
    reader.onTyped(taken);
    await read('Explain: \u001B[200~function f() {\r  return 1;\r}\r\u001B[201~');
    expect(taken).not.toHaveBeenCalled();
    await read('\r');
    expect(await line).toBe('Explain: function f() {\n  return 1;\n}');
    await read('\u001B[200~wrong\rtext\u001B[201~\u0015');
    await read('next\r');
    expect(taken.mock.calls).toEqual([['next']]);
    reader.close();
    expect(shown()).toContain('\u001B[?2004l');
  });

  it('does not use a line typed ahead as the answer to a new question', async () => {
    const { reader, read } = open({ terminal: true });
    const first = reader.next('> ');
    await read('first\ny\n');
    expect(await first).toBe('first');
    const answer = reader.next('Approve? ', { discardTypeahead: true });
    await read('no\n');
    expect(await answer).toBe('no');
    expect(await reader.next('> ')).toBe('y');
    reader.close();
  });

  it('recognises Ctrl+C as a key', async () => {
    const { reader, read, onInterrupt } = open({ terminal: true });
    const line = reader.next('> ');
    await read('\u0003');
    expect(onInterrupt).toHaveBeenCalledOnce();
    reader.close();
    expect(await line).toBeNull();
  });
});
