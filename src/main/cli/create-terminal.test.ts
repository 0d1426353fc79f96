import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createTerminal, type Signals } from './create-terminal';

function open({ typed = false } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: typed });
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: typed });
  const signals = Object.assign(new EventEmitter(), { exit: vi.fn() });
  const terminal = createTerminal({ stdin, stdout, stderr }, false, signals as unknown as Signals);
  return { terminal, stdin, stdout, stderr, signals };
}

describe('the terminal', () => {
  it('keeps results and everything else apart', () => {
    const { terminal, stdout, stderr } = open();
    terminal.out('result');
    terminal.log('note');
    expect([String(stdout.read()), String(stderr.read())]).toEqual(['result', 'note\n']);
  });

  it('asks the work to stop at the first signal and ends at the second', () => {
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

  it('takes Ctrl+C at the prompt as the end of the input', async () => {
    const { terminal, stdin } = open({ typed: true });
    expect(terminal.interactive).toBe(true);
    const line = terminal.readLine('> ');
    stdin.write('\u0003');
    expect(await line).toBeNull();
  });

  it('asks nobody where nobody types', () => {
    expect(open().terminal.interactive).toBe(false);
  });
});
