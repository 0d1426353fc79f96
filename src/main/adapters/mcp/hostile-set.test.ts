import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openPeer, toolsOf } from '../../../testing/mcp-peers/open-peers';

const SCRIPT = fileURLToPath(new URL('../../../testing/hostile-servers/hostile-server.mjs', import.meta.url));
const short = { startMs: 1_500, callMs: 1_500, pingMs: 500 };
const unavailable = { ok: false, error: { kind: 'TOOL', code: 'UNAVAILABLE' } };
const timeout = { ok: false, error: { kind: 'TOOL', code: 'TIMEOUT' } };
const noOutput = { ok: false, error: { kind: 'TOOL', code: 'INVALID_OUTPUT' } };
const failed = { ok: false, error: { kind: 'TOOL', code: 'FAILED' } };
const fine = { ok: true };

/** The outcome of each server fault for the call that meets it. */
const outcomes: readonly (readonly [fault: string, outcome: object])[] = [
  ['hang-initialize', timeout],
  ['exit-initialize', unavailable],
  ['hang-list', timeout],
  ['endless-pages', unavailable],
  ['exit-list', unavailable],
  ['tools-no-list', noOutput],
  ['hang-call', timeout],
  ['deaf-call', timeout],
  ['crash-call', unavailable],
  ['endless-line', unavailable],
  ['huge-result', unavailable],
  ['only-garbage', unavailable],
  // Not a valid answer, but a reply to the call, so the call need not wait for another.
  ['null-result', noOutput],
  ['content-no-list', noOutput],
  ['unknown-content', noOutput],
  ['error-monster', failed],
  ['error-then-result', failed],
  ['garbage', fine],
  ['wrong-ids', fine],
  ['list-changed-flood', fine],
  ['progress-flood', fine],
  ['asks-back', fine],
  ['asks-password', { ok: true, value: '{"action":"decline"}' }],
  ['odd-tools', fine],
  // One invalid entry does not remove the others.
  ['half-tools', fine],
  ['broken-promise', fine],
  ['large-result', fine],
  ['bare-answer', noOutput],
  ['double-answer', noOutput],
];

const sample = process.env['PATINA_FULL_COUNTS']
  ? outcomes
  : outcomes.filter((_row, index) => index % 2 === 0);

describe('a hostile server beside a good one', () => {
  const open: ReturnType<typeof toolsOf>[] = [];
  afterAll(() => Promise.all(open.map((tools) => tools.release())));

  it('[MCP-hostile] has at least 25 variants', () => {
    expect(new Set(outcomes.map(([fault]) => fault)).size).toBeGreaterThanOrEqual(25);
  });

  it.each(sample)(
    '[MCP-hostile] %s: has its typed outcome, and the next call works',
    { timeout: 60_000 },
    async (fault, outcome) => {
      const { entry } = await openPeer('stateless', 'stdio');
      const x = { command: process.execPath, args: [SCRIPT, fault] };
      const forms: unknown[] = [];
      const elicit = (form: unknown) =>
        Promise.resolve({ action: forms.push(form) > 0 ? 'cancel' : 'decline' } as const);
      const tools = toolsOf(
        // The short limits are for the hostile server; a busy machine may be slow with the good one.
        { x, good: { ...entry, startTimeoutMs: 20_000, timeoutMs: 20_000 } },
        {
          timeouts: {
            ...short,
            // A busy machine may be slow with a large answer; only a reply that never comes should time out
            // soon.
            callMs: outcome === timeout ? short.callMs : 20_000,
            startMs: fault.endsWith('list') || fault === 'hang-initialize' ? short.startMs : 20_000,
          },
          elicit,
        },
      );
      open.push(tools);
      const signal = new AbortController().signal;
      const result = await tools.call('mcp://x.echo', {}, signal);
      expect(result).toMatchObject(outcome);
      if (!result.ok) expect(result.error.message.length).toBeLessThan(1_500);
      expect(forms).toEqual([]);
      expect(await tools.call('mcp://good.add', { a: 2, b: 3 }, signal)).toEqual({
        ok: true,
        value: { sum: 5 },
      });
    },
  );

  it('[MCP-hostile] with invalid tools in its list keeps the valid ones, and the others are reported', async () => {
    const tools = toolsOf({ x: { command: process.execPath, args: [SCRIPT, 'half-tools'] } }, {});
    open.push(tools);
    const listed = await tools.list(['x'], 'live');
    expect(listed.ok && listed.value.map(({ uri }) => uri)).toEqual(['mcp://x.echo']);
    expect(tools.servers()[0]?.detail).toContain(
      'Left out tools that do not follow the protocol: one without a name, no_schema',
    );
  });
});
