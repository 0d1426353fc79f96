import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { restoreSpilled, restoreSummary } from './restore-spilled';

const missing = `artifact://sha256/${'f'.repeat(64)}`;

function stored() {
  const artifacts = createMemoryArtifacts();
  const put = (content: string): string => {
    const saved = artifacts.put('x', 'application/json', content);
    return saved.ok ? saved.value.handle : '';
  };
  const spill = (value: Json) => ({ $artifact: put(JSON.stringify(value)), bytes: 1, head: '' });
  return { artifacts, put, spill };
}

describe('a state whose large values are stored elsewhere', () => {
  it('is whole again, and says what was read', () => {
    const { artifacts, spill } = stored();
    const state = { rows: spill([1, 2]), none: spill(null), n: 1, like: { $artifact: 'x' } };
    const read: string[] = [];
    expect(restoreSpilled(state, artifacts, (handle) => read.push(handle))).toEqual({
      ok: true,
      value: { rows: [1, 2], none: null, n: 1, like: { $artifact: 'x' } },
    });
    expect(read).toEqual([state.rows.$artifact, state.none.$artifact]);
  });

  it('is whole again where all of it is stored elsewhere', () => {
    const { artifacts, spill } = stored();
    expect(restoreSpilled(spill({ a: spill('b') }), artifacts)).toEqual({ ok: true, value: { a: 'b' } });
    expect(restoreSpilled(spill([1]), artifacts)).toEqual({ ok: true, value: {} });
  });

  it('is an error where a stored value is missing or damaged', () => {
    const { artifacts, put } = stored();
    const spilled = (handle: string) => ({ $artifact: handle, bytes: 1, head: '' });
    const damaged = {
      error: { kind: 'HOST', code: 'STORAGE', message: 'A stored value has changed since it was saved.' },
    };
    expect(restoreSpilled({ a: spilled(missing) }, artifacts)).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
    expect(restoreSpilled(spilled(missing), artifacts)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(restoreSpilled({ a: spilled(put('{')) }, artifacts)).toMatchObject(damaged);
  });
});

describe('the summary of a step', () => {
  it('is whole again from the artifact that begins like it', () => {
    const { artifacts, put } = stored();
    const file = (name: string, content: string) => ({
      ...{ name, handle: put(content), bytes: 1, type: 'application/json' },
    });
    const files = [
      file('other.json', '"long text of another file"'),
      file('summary.json', '["long text"]'),
      file('summary.json', '{'),
      file('summary.json', '"another long text"'),
      file('summary.json', '"lots of other text"'),
      file('summary.json', '"long text and its end"'),
    ];
    const whole = (summary: string, from: readonly object[]) =>
      restoreSummary({ summary, artifacts: from as typeof files }, artifacts);
    expect(whole('long text…', files)).toEqual({ ok: true, value: 'long text and its end' });
    expect(whole('long text', files)).toEqual({ ok: true, value: 'long text' });
    expect(whole('long text…', files.slice(0, 5))).toEqual({ ok: true, value: 'long text…' });
    expect(restoreSummary({ summary: 'long text…' }, artifacts)).toEqual({ ok: true, value: 'long text…' });
    const gone = [{ name: 'summary.json', handle: missing, bytes: 1, type: 'application/json' }];
    expect(whole('long text…', gone)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});
