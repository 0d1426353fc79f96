import type { Result } from '#shared/result';
import type { EventGap, SessionCheck } from '../../core/ports/session-store';
import { damagedEvents } from '../../core/session/session-reader';
import type { App } from '../app';
import type { Terminal } from './output';

const seqs = ({ fromSeq, toSeq }: EventGap): string =>
  fromSeq === toSeq ? String(fromSeq) : `${fromSeq} to ${toSeq}`;

/** Describes the events of a session that are unreadable or do not fit; null when there are none. */
function describeDamage(check: SessionCheck): string | null {
  const { sessionId, gaps, broken, intact } = check;
  const missing = damagedEvents({ gaps, broken: [] });
  const unreadable =
    missing === 0
      ? []
      : [
          `${missing} of ${intact + missing} events cannot be read (${gaps.map(seqs).join(', ')}); the others are intact.`,
        ];
  const changed =
    broken.length === 0
      ? []
      : [
          `${broken.length === 1 ? 'Event' : 'Events'} ${broken.join(', ')} ${broken.length === 1 ? 'does' : 'do'} not match the hash of the event before: the file was changed from outside.`,
        ];
  const lines = [...unreadable, ...changed];
  return lines.length === 0 ? null : `Session ${sessionId} is damaged. ${lines.join(' ')}`;
}

/** Reports a session's damage on standard error, and how to repair it. */
export function reportDamage(
  { log }: Pick<App, 'log'>,
  terminal: Pick<Terminal, 'log'>,
  check: Result<SessionCheck | null>,
): void {
  if (!check.ok || check.value === null) return;
  const described = describeDamage(check.value);
  if (described === null) return;
  const restorable = log.restorable(check.value.sessionId);
  const next =
    restorable.ok && restorable.value === 0
      ? 'No daily copy contains these events, so they cannot be repaired.'
      : `Repair it from the daily copies: patina session repair ${check.value.sessionId}`;
  terminal.log(`${described}\n→ ${next}`);
}
