import type { SessionEvent } from '#shared/session-event';
import { spentBy, type ModelSpent } from '#shared/spent';
import type { SpentRow, UsageGroup } from '../../../core/ports/usage-store';
import { localDay } from '../system/system-clock';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

interface StoredRow {
  readonly key: StoredText;
  readonly provider: StoredText;
  readonly model: StoredText;
  readonly step: number;
  readonly calls: number;
  readonly input: number;
  readonly cached: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  readonly reported_input: number;
  readonly estimated: number;
}

const counts = [
  'calls',
  'input',
  'cached',
  'cache_write',
  'output',
  'reasoning',
  'reported_input',
  'estimated',
] as const;

const keys: Readonly<Record<UsageGroup, string>> = { day: 'day', session: 'session_id', model: "''" };

/** The calls that an event reports. */
function callsOf(event: SessionEvent): ModelSpent | null {
  if (event.type === 'model-called') return spentBy(event.model, event.usage);
  if (event.type !== 'history-compacted' || !event.usage || !event.model) return null;
  return spentBy(event.model, event.usage);
}

function fromStored(row: StoredRow): SpentRow {
  return {
    key: textOf(row.key),
    model: { providerId: textOf(row.provider), model: textOf(row.model) },
    step: row.step,
    calls: row.calls,
    inputTokens: row.input,
    cachedTokens: row.cached,
    cacheWriteTokens: row.cache_write,
    outputTokens: row.output,
    reasoningTokens: row.reasoning,
    reportedInput: row.reported_input,
    estimated: row.estimated,
  };
}

export type UsageTable = ReturnType<typeof createUsageTable>;

/** The statements over `model_usage`: sums of what events report, so that no event is read to show them. */
export function createUsageTable(db: Sqlite) {
  const add = db.prepare(
    `INSERT INTO model_usage (day, session_id, provider, model, step, ${counts.join(', ')})
     VALUES (?, ?, ?, ?, ?, ${counts.map(() => '?').join(', ')})
     ON CONFLICT DO UPDATE SET ${counts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const sums = counts.map((name) => `sum(${name}) AS ${name}`).join(', ');
  const select = (group: UsageGroup) =>
    db.prepare(
      `SELECT CAST(${keys[group]} AS BLOB) AS key, CAST(provider AS BLOB) AS provider, CAST(model AS BLOB) AS model,
       step, ${sums} FROM model_usage WHERE day BETWEEN ? AND ? GROUP BY 1, 2, 3, 4`,
    );
  const queries = { day: select('day'), session: select('session'), model: select('model') };
  // `ON CONFLICT` needs the WHERE in an INSERT from a SELECT.
  const disown = db.prepare(
    `INSERT INTO model_usage (day, session_id, provider, model, step, ${counts.join(', ')})
     SELECT day, '', provider, model, step, ${counts.join(', ')} FROM model_usage WHERE session_id = ?
     ON CONFLICT DO UPDATE SET ${counts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const drop = db.prepare('DELETE FROM model_usage WHERE session_id = ?');
  function take(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const spent = callsOf(event);
      if (!spent) continue;
      const { model, step, calls, inputTokens, cachedTokens, cacheWriteTokens } = spent;
      const { outputTokens, reasoningTokens, reportedInput, estimated } = spent;
      add.run(
        ...[localDay(event.at), event.sessionId, model.providerId, model.model, step, calls, inputTokens],
        ...[cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens, reportedInput, estimated],
      );
    }
  }
  return {
    take,
    /** Takes all events of a session; those of turns that were copied from another one count there. */
    takeSession(events: readonly SessionEvent[]): void {
      const forked = events.find((event) => event.type === 'session-forked');
      const copied = forked?.turns ?? 0;
      take(events.filter((event) => event.type !== 'model-called' || event.turn >= copied));
    },
    spent: (group: UsageGroup, from: string, to: string): readonly SpentRow[] =>
      (queries[group].all(from, to) as StoredRow[]).map(fromStored),
    /** Keeps the sums of a deleted session without naming it, so that totals stay correct. */
    dropSession(sessionId: string): void {
      disown.run(sessionId);
      drop.run(sessionId);
    },
  };
}
