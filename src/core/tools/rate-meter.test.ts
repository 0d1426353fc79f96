import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock';
import { createRateMeter } from './rate-meter';

function meterAt() {
  let now = 0;
  const meter = createRateMeter({ elapsed: () => now } as unknown as Clock);
  const at = (ms: number) => {
    now = ms;
    return meter;
  };
  return at;
}

describe('the rate of calls', () => {
  it('allows calls below the limit and says how long the next one waits', () => {
    const at = meterAt();
    expect(at(0).waitMs('mcp://box.*', 2)).toBe(0);
    at(0).count('mcp://box.put');
    expect(at(10).waitMs('mcp://box.*', 2)).toBe(0);
    at(10_000).count('mcp://box.get');
    expect(at(20_000).waitMs('mcp://box.*', 2)).toBe(40_000);
    expect(at(59_999).waitMs('mcp://box.*', 2)).toBe(1);
    expect(at(60_000).waitMs('mcp://box.*', 2)).toBe(0);
  });

  it('waits for the call that makes room, not for the oldest one', () => {
    const at = meterAt();
    for (const ms of [0, 1_000, 2_000]) at(ms).count('mcp://box.put');
    expect(at(3_000).waitMs('mcp://box.put', 3)).toBe(57_000);
    expect(at(3_000).waitMs('mcp://box.put', 1)).toBe(59_000);
  });

  it('counts only the tools that the pattern names, and none for a limit of zero', () => {
    const at = meterAt();
    at(0).count('mcp://bag.put');
    expect(at(1).waitMs('mcp://box.*', 1)).toBe(0);
    expect(at(1).waitMs('mcp://bag.*', 1)).toBe(59_999);
    expect(at(1).waitMs('*', 0)).toBe(0);
  });

  it('forgets calls after a minute and keeps later ones', () => {
    const at = meterAt();
    at(0).count('mcp://box.put');
    at(30_000).count('mcp://box.put');
    at(60_000).count('mcp://box.put');
    expect(at(60_000).waitMs('mcp://box.put', 2)).toBe(30_000);
    expect(at(120_000).waitMs('mcp://box.put', 1)).toBe(0);
  });
});
