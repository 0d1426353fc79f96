import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createTerminal, type Signals } from './create-terminal';

function open({ typed = false, shown = false, locale = 'en-US' } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: typed });
  const stdout = Object.assign(new PassThrough(), { isTTY: shown });
  const stderr = Object.assign(new PassThrough(), { isTTY: typed });
  const signals = Object.assign(new EventEmitter(), { exit: vi.fn() });
  const terminal = createTerminal({ stdin, stdout, stderr }, false, signals as unknown as Signals, locale);
  return { terminal, stdin, stdout, stderr, signals };
}

describe('the terminal', () => {
  it('separates results from all other output', () => {
    const { terminal, stdout, stderr } = open();
    terminal.out('result');
    terminal.log('note');
    expect([String(stdout.read()), String(stderr.read())]).toEqual(['result', 'note\n']);
  });

  it('writes no control characters to a screen, and all of them to a file', () => {
    const hostile = 'red \u001b[31m, \u001b]52;c;eA==\u0007, \u009b2J, \u202ertl, over\rwritten\r\n\tend';
    const screen = open({ typed: true, shown: true });
    screen.terminal.out(hostile);
    screen.terminal.log(hostile);
    const seen = 'red ␛[31m, ␛]52;c;eA==␇, \uFFFD2J, \uFFFDrtl, over␍written\n\tend';
    expect([String(screen.stdout.read()), String(screen.stderr.read())]).toEqual([seen, `${seen}\n`]);
    const file = open();
    file.terminal.out(hostile);
    expect(String(file.stdout.read())).toBe(hostile);
  });

  it('asks the work to stop at the first signal and exits at the second', () => {
    const { terminal, signals } = open();
    const stop = vi.fn();
    const deafen = terminal.onInterrupt(stop);
    signals.emit('SIGINT');
    expect([stop.mock.calls.length, signals.exit.mock.calls.length]).toEqual([1, 0]);
    signals.emit('SIGTERM');
    expect(signals.exit).toHaveBeenCalledExactlyOnceWith(130);
    deafen();
    expect(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM')).toBe(0);
    terminal.onInterrupt(stop);
    signals.emit('SIGINT');
    expect([stop.mock.calls.length, signals.exit.mock.calls.length]).toEqual([2, 1]);
  });

  it('reads Ctrl+C at the prompt as the end of the input', async () => {
    const { terminal, stdin } = open({ typed: true });
    expect(terminal.interactive).toBe(true);
    const line = terminal.readLine('> ');
    stdin.write('\u0003');
    expect(await line).toBeNull();
  });

  it.each([
    ['de-AT', 'de'],
    ['fr-FR', 'en'],
  ])('in the locale %s has the language %s', (locale, language) => {
    expect(open({ locale }).terminal.language).toBe(language);
  });

  it('asks nobody without a terminal', () => {
    expect(open().terminal.interactive).toBe(false);
  });
});
