import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { SessionFact } from '#shared/session-event';
import { createManualClock } from '../src/testing/manual-clock';
import { must, openStore, turnFacts } from '../src/testing/stored-session';
import { median, report } from './lib/report';

const dayMs = 86_400_000;
const sessions = 100;
/** 200,000 events in a year: 100 sessions of 2,000, every tenth of them a model call. */
const eventsPerSession = 2_000;
const folder = mkdtempSync(join(tmpdir(), 'patina-bench-'));
const usage = { modelTurns: 1, inputTokens: 5_000, outputTokens: 300, cachedTokens: 4_000 };

const factAt = (index: number): SessionFact =>
  index % 10 === 0
    ? {
        type: 'model-called',
        turn: 0,
        part: 'reply',
        model: { providerId: 'lab', model: `model-${index % 5}` },
        usage: { ...usage, inputTokens: usage.inputTokens + (index % 7) * 50_000 },
        ms: 1,
      }
    : { type: 'reply-extended', turn: 0, text: `piece ${index}` };

let now = Date.parse('2025-01-01T12:00:00');
const clock = { ...createManualClock().clock, now: () => now };
const store = openStore(join(folder, 'sessions.db'), { clock });
for (let session = 0; session < sessions; session += 1) {
  const id = `s${session}`;
  must(store.acquireLease(id));
  let seq = must(store.append(id, 0, turnFacts(0))).length;
  for (let done = 0; done < eventsPerSession; done += 100) {
    now = Date.parse('2025-01-01T12:00:00') + ((session * 37 + done / 10) % 365) * dayMs;
    seq += must(
      store.append(
        id,
        seq,
        Array.from({ length: 100 }, (_, at) => factAt(done + at + (session % 5))),
      ),
    ).length;
  }
  store.releaseLease(id);
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const year = () => must(store.usage.spent('day', '2025-01-01', '2026-12-31'));
// The floor: reading one of the hundred sessions, which opening it costs anyway.
const one = () => must(store.read('s1', 0));
if (year().reduce((sum, { calls }) => sum + calls, 0) !== (sessions * eventsPerSession) / 10)
  throw new Error('Not every call was counted.');
const pairs = Array.from({ length: 20 }, () => [timed(one), timed(year)] as const);
report({
  name: 'usage of a year, 200,000 events',
  value: median(pairs.map(([, ours]) => ours)),
  floor: median(pairs.map(([floor]) => floor)),
  goal: 5,
  unit: 'ms',
});
// What every model call reads before it is sent.
const month = () => must(store.usage.spent('model', '2025-06-01', '2025-06-31'));
const months = Array.from({ length: 20 }, () => [timed(one), timed(month)] as const);
report({
  name: 'the month against its limit, 200,000 events',
  value: median(months.map(([, ours]) => ours)),
  floor: median(months.map(([floor]) => floor)),
  goal: 1,
  unit: 'ms',
});
store.close();
rmSync(folder, { recursive: true, force: true });
