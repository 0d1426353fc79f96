import { expect, it } from 'vitest';
import type { RunMessage } from '#shared/sandbox-protocol';
import { openUnitRun } from './unit-run';
import type { OutputListener, PreparedVm } from './vm';

const UNIT: RunMessage = {
  type: 'run',
  run: 1,
  code: '',
  params: '{}',
  inputs: '{}',
  tools: [],
  limits: { cpuMs: 1_000, memMb: 32, maxOps: 1_000, toolCalls: 5, callsAtOnce: 5, resultChars: 1_000 },
};
const CALL = '{"op":"tool","call":1,"tool":"mcp://a.b","json":"{}"}';
const stopped = { wallMs: () => 0, cpuMs: () => 0 };

/** A VM whose guest sends the given messages. */
function guestThatSays(words: readonly (readonly [what: string, text: string])[]): PreparedVm {
  const speak = (onOutput: OutputListener): void => words.forEach(([what, text]) => onOutput(what, text));
  return {
    open: ({ onOutput }) =>
      Promise.resolve({
        start: () => void speak(onOutput),
        completeCall: () => undefined,
        runJobs: () => undefined,
        memMb: () => 16,
        memoryFull: () => false,
      }),
  };
}

async function sliceOf(words: readonly (readonly [what: string, text: string])[]) {
  const run = await openUnitRun(guestThatSays(words), stopped, UNIT);
  return run.slice((vm) => {
    vm.start('', '', '');
    return undefined;
  });
}

it('[SBX-after-end] nothing a guest sends after its result is used: no other result, log line or call', async () => {
  const { end, log } = await sliceOf([
    ['log', '"before"'],
    ['done', '"first"'],
    ['log', '"after"'],
    ['call', CALL],
    ['done', '"second"'],
    ['fail', '{"name":"Error","message":"third","stack":""}'],
  ]);
  expect(end).toEqual({ type: 'done', json: '"first"' });
  expect(log).toEqual(['before']);
});

it('before the end, calls and log lines are used', async () => {
  const { end, log } = await sliceOf([
    ['log', '"one"'],
    ['call', CALL],
  ]);
  expect(end).toMatchObject({ type: 'turn', calls: [{ op: 'tool', tool: 'mcp://a.b' }] });
  expect(log).toEqual(['one']);
});
