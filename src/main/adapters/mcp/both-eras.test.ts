import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untouched, type Elicitation } from '#shared/elicitation';
import type { JsonObject } from '#shared/json';
import { openPeer, toolsOf, type Era, type Wire } from '../../../testing/mcp-peers/open-peers';
import type { ToolProgress } from '../../../core/ports/tools';

/** The equivalent items under the name that each server uses. */
const names = {
  stateless: { add: 'add', steps: 'steps', picture: 'picture', ask: 'ask', wait: 'wait', fail: 'fail' },
  stateful: {
    add: 'get-sum',
    steps: 'trigger-long-running-operation',
    picture: 'get-tiny-image',
    ask: 'trigger-elicitation-request',
    wait: 'trigger-long-running-operation',
    fail: 'get-resource-reference',
  },
} as const;

const worlds: readonly (readonly [Era, Wire])[] = [
  ['stateful', 'stdio'],
  ['stateful', 'http'],
  ['stateless', 'stdio'],
  ['stateless', 'http'],
];

describe.each(worlds)('a real %s server over %s', (era, wire) => {
  const progress: ToolProgress[] = [];
  const asked: Elicitation[] = [];
  const kept: string[] = [];
  let peer: Awaited<ReturnType<typeof openPeer>>;
  let tools: ReturnType<typeof toolsOf>;

  beforeAll(async () => {
    peer = await openPeer(era, wire);
    tools = toolsOf(
      { peer: { ...peer.entry, trusted: true } },
      {
        onProgress: (said) => progress.push(said),
        storeContent: (_name, type) => `artifact://${kept.push(type)}`,
        elicit: (form) => {
          asked.push(form);
          return Promise.resolve({ action: 'accept', content: { ...untouched(form.fields), name: 'Ada' } });
        },
      },
    );
  }, 30_000);
  afterAll(async () => {
    await tools.release();
    peer.close();
  });

  const call = (
    what: keyof (typeof names)['stateless'],
    args: JsonObject = {},
    signal = new AbortController().signal,
  ) => tools.call(`mcp://peer.${names[era][what]}`, args, signal);

  it('[MCP-both-eras] lists its tools and returns their results', { timeout: 30_000 }, async () => {
    const listed = await tools.list();
    expect(listed.ok && listed.value.map(({ tool }) => tool)).toContain(names[era].add);
    const sum = await call('add', { a: 2, b: 3 });
    expect(JSON.stringify(sum)).toMatch(
      era === 'stateless' ? /^\{"ok":true,"value":\{"sum":5\}\}$/ : /sum of 2 and 3 is 5/,
    );
    expect(tools.servers()).toMatchObject([{ state: 'ready' }]);
  });

  it('[MCP-progress] reports progress while the call is running', { timeout: 30_000 }, async () => {
    await call('steps', era === 'stateful' ? { duration: 1, steps: 3 } : {});
    const seen = progress.map(({ uri, progress: done, total }) => [uri, done, total]);
    const all = [1, 2, 3].map((done) => [`mcp://peer.${names[era].steps}`, done, 3]);
    // The reference server's last progress report may arrive after its result; ours arrives before it.
    if (era === 'stateful') expect(seen).toEqual(all.slice(0, Math.max(2, seen.length)));
    else expect(seen).toEqual(all);
  });

  it('[MCP-content] returns an image as an artifact, never as text of the result', async () => {
    const result = await call('picture');
    expect(JSON.stringify(result)).toContain('artifact://');
    expect(JSON.stringify(result)).not.toContain('iVBOR');
    expect(kept.at(-1)).toBe('image/png;base64');
  });

  it('[MCP-elicitation] asks the user with a form, and receives the answer', async () => {
    const result = await call('ask');
    expect(asked.at(-1)).toMatchObject({
      server: 'peer',
      fields: expect.arrayContaining([expect.objectContaining({ name: 'name', kind: 'text' })]) as unknown,
    });
    expect(JSON.stringify(result)).toContain('Ada');
  });

  it('[MCP-cancel] continues after a cancelled call, which is HOST/CANCELLED immediately', async () => {
    const stop = new AbortController();
    const pending = call('wait', era === 'stateful' ? { duration: 60, steps: 60 } : {}, stop.signal);
    stop.abort();
    expect(await pending).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'CANCELLED' } });
    expect(await call('add', { a: 1, b: 1 })).toMatchObject({ ok: true });
  });

  it('[MCP-errors] has typed errors for a tool that fails and a tool that does not exist', async () => {
    const failed = await call('fail', era === 'stateful' ? { resourceId: -1 } : {});
    expect(failed).toMatchObject({ ok: false, error: { kind: 'TOOL' } });
    const none = await tools.call('mcp://peer.none', {}, new AbortController().signal);
    expect(none).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'NOT_FOUND' } });
  });
});
