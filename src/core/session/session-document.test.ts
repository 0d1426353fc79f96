import { describe, expect, it } from 'vitest';
import { applyEvents } from '#shared/apply-event';
import type { ContextItem } from '#shared/context-item';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession } from '#shared/session-state';
import { sampleModel } from '../../testing/sample-session';
import { exportSession } from './session-document';

function sessionOf(line: string, reply: string, title = 'Title', items?: ContextItem[]) {
  const facts: readonly SessionFact[] = [
    { type: 'session-created', title, project: null },
    {
      type: 'message-sent',
      turn: 0,
      text: line,
      runMode: 'ask',
      model: sampleModel,
      ...(items && { items }),
    },
    { type: 'reply-started', turn: 0, model: sampleModel, providerName: 'A <b>model</b>' },
    { type: 'reply-extended', turn: 0, text: reply },
    { type: 'reply-ended', turn: 0, outcome: 'done' },
  ];
  const events = facts.map((fact, index): SessionEvent => ({
    sessionId: 's',
    seq: index + 1,
    at: 0,
    v: 1,
    ...fact,
  }));
  return { state: applyEvents(emptySession('s'), events), events };
}

const html = (line: string, reply: string, title?: string): string => {
  const { state, events } = sessionOf(line, reply, title);
  return exportSession(state, events, 'html');
};

describe('[EXPORT-html] a session as one HTML file', () => {
  it('contains markdown as the window shows it', () => {
    const text = html(
      'Line',
      '# Head\n\n| a | b |\n|---|--:|\n| `1` | **2** |\n\n- [x] done\n- plain\n\n```ts\nlet a = 1 < 2;\n```\n\n[site](https://a.example/x) [^1]\n\n[^1]: Note',
    );
    for (const part of [
      '<h3 dir="auto">Head</h3>',
      '<td><code>1</code></td><td style="text-align:right"><strong>2</strong></td>',
      '<li class="task-item"><span class="task">☑</span> done</li>',
      '<pre><code data-language="ts">let a = 1 &lt; 2;</code></pre>',
      '<a href="https://a.example/x" rel="noreferrer noopener">site</a>',
      '<sup>1</sup> Note',
    ])
      expect(text).toContain(part);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '![x](https://evil.example/p.png)',
    '<a href="javascript:alert(1)">x</a>',
    '[x](https://a.example/"onmouseover="alert(1))',
    '```"><script>alert(1)</script>\ncode\n```',
    '<iframe src="file:///etc/passwd"></iframe>',
    '$<img src=x onerror=alert(1)>$',
    '| a |\n|---|\n| <svg onload=alert(1)> |',
  ])('keeps %s as text: it creates no element and no script, and loads nothing', (hostile) => {
    const text = html(hostile, hostile, hostile);
    const tags = [...text.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, name = '']) => name.toLowerCase());
    const known =
      'html head meta title style body h1 h3 section p span time div a pre code table thead tbody tr td th sup ul li !doctype em strong'.split(
        ' ',
      );
    expect(tags.filter((name) => !known.includes(name))).toEqual([]);
    expect(text).not.toMatch(/href="(?!https?:)/);
    expect(text).not.toMatch(/<[^>]*\son\w+=/i);
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });
});

it('[EXPORT-html] names the model, and folds what it thought', () => {
  const { events } = sessionOf('Line', 'Reply');
  const text = 'First <b>this</b>.';
  const thought = {
    ...events[3],
    type: 'reply-thought',
    turn: 0,
    text,
    ms: 12_400,
  } as unknown as SessionEvent;
  const state = applyEvents(emptySession('s'), [...events.slice(0, 3), thought, ...events.slice(3)]);
  const file = exportSession(state, events, 'html');
  expect(file).toContain(`<p class="who">${sampleModel.model} (A &lt;b&gt;model&lt;/b&gt;)</p>`);
  expect(file).toContain('<summary>Thought for 12 s</summary>');
  expect(file).toContain('First &lt;b&gt;this&lt;/b&gt;.</div></details>');
});

it('[EXPORT-json] a session as JSON has its turns for people and its events for the import', () => {
  const { state, events } = sessionOf('Line', 'Reply');
  const file = JSON.parse(exportSession(state, events, 'json')) as Record<string, unknown>;
  expect(file).toMatchObject({
    patina: { format: 'session', version: 1 },
    id: 's',
    path: [0],
    turns: [{ text: 'Line' }],
  });
  expect(file['events']).toEqual(events);
});

it('[EXPORT-html] the note on branches counts turns from 1, as the window does', () => {
  const { events } = sessionOf('Line', 'Reply');
  const again = {
    type: 'message-sent',
    turn: 1,
    parent: -1,
    text: 'Beside',
    runMode: 'ask',
    model: sampleModel,
  };
  const more = { sessionId: 's', seq: events.length + 1, at: 0, v: 1, ...again } as SessionEvent;
  const state = applyEvents(emptySession('s'), [...events, more]);
  for (const format of ['md', 'html'] as const)
    expect(exportSession(state, events, format)).toContain(
      'One of several branches: turns 2 (counted from 1).',
    );
});

describe('[EXPORT-items] an exported line', () => {
  const item = (ref: string): ContextItem => ({
    kind: 'file',
    ref,
    hash: 'a'.repeat(64),
    bytes: 12,
    tokens: 3,
  });
  const exported = (format: 'md' | 'html', ...refs: readonly string[]) => {
    const { state, events } = sessionOf('Line', 'Reply', 'Title', refs.map(item));
    return exportSession(state, events, format);
  };

  it('names what was attached to it', () => {
    expect(exported('md', 'src/a.ts', 'b.ts')).toContain(
      '## You\n\nLine\n\n- Attached: `src/a.ts` (file, 12 bytes)\n- Attached: `b.ts` (file, 12 bytes)\n\n## A <b>model</b>',
    );
    expect(exported('html', 'src/a.ts')).toContain('<li>Attached: <code>src/a.ts</code> file, 12 bytes</li>');
    expect(exported('md') + exported('html')).not.toContain('Attached');
  });

  it('keeps a hostile name inside its mark', () => {
    expect(exported('md', 'a`\n\n# Head\n![x](y)')).toContain('- Attached: `a # Head ![x](y)` (file');
    expect(exported('html', '<script>x</script>')).toContain('<code>&lt;script&gt;x&lt;/script&gt;</code>');
  });
});
