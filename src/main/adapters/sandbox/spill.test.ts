import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { spilledIn } from '#shared/spilled';
import { createMemoryArtifacts } from '../../../testing/in-process-sandbox';
import { buildEnvelope } from './envelope';

const metrics = { cpu_ms: 1, mem_mb: 1, tool_calls: 0, wall_ms: 1 };
const count = (text: string): number => Math.ceil(text.length / 4);

async function built(returned: { readonly summary?: string; readonly state?: object }, bytes = 65_536) {
  const artifacts = createMemoryArtifacts();
  const json = JSON.stringify({ summary: 'done', state: {}, artifacts: null, ...returned });
  const bounds = { bytes, tokens: 16_000, loadTokenCount: () => Promise.resolve(count) };
  const envelope = await buildEnvelope({ json, written: [], artifacts, metrics }, bounds);
  return { envelope, artifacts };
}

const rows = Array.from({ length: 200 }, (_, i) => ({ path: `src/${i}`, size: i }));

describe('a result too large for its envelope', () => {
  it('[ART-spill] stores the longest members in full as artifacts, with references in their places', async () => {
    const { envelope, artifacts } = await built({ state: { n: 200, rows } });
    if (!envelope.ok) throw new Error(envelope.error.message);
    expect(count(JSON.stringify(envelope.value))).toBeLessThanOrEqual(600);
    expect(envelope.value.state_updates['n']).toBe(200);
    const spilled = spilledIn(envelope.value.state_updates['rows'] as Json);
    expect(spilled?.head).toContain('src/0');
    const content = artifacts.get(spilled?.$artifact ?? '');
    expect(content.ok && (JSON.parse(content.value) as unknown)).toEqual(rows);
    expect(envelope.value.artifacts).toMatchObject([{ name: 'rows.json', handle: spilled?.$artifact }]);
    const again = await built({ state: { rows, n: 200 } });
    expect(again.envelope.ok && again.envelope.value.state_updates).toEqual(envelope.value.state_updates);
  });

  it('[ART-spill] stores the whole state when no member is long, and the whole of a long summary', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]));
    const small = await built({ state: many });
    if (!small.envelope.ok) throw new Error(small.envelope.error.message);
    const spilled = spilledIn(small.envelope.value.state_updates);
    const content = small.artifacts.get(spilled?.$artifact ?? '');
    expect(content.ok && (JSON.parse(content.value) as unknown)).toEqual(many);

    const words = await built({ summary: 'word '.repeat(2_000) });
    if (!words.envelope.ok) throw new Error(words.envelope.error.message);
    expect(words.envelope.value.summary.length).toBeLessThan(500);
    const [kept] = words.envelope.value.artifacts;
    expect(words.artifacts.get(kept?.handle ?? '')).toEqual({
      ok: true,
      value: JSON.stringify('word '.repeat(2_000)),
    });
  });

  it('[ART-spill] is kept if it fits, and refused above the node’s limit', async () => {
    const light = await built({ state: { n: 1 } });
    expect(light.envelope).toMatchObject({ ok: true, value: { artifacts: [], state_updates: { n: 1 } } });
    const heavy = await built({ state: { rows } }, 2_000);
    expect(heavy.envelope).toMatchObject({ ok: false, error: { code: 'OUTPUT_LIMIT' } });
  });
});
