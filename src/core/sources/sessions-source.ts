import type { ResolverItem } from '#shared/resolver';
import { ok } from '#shared/result';
import type { SessionSummary } from '#shared/session-state';
import type { ItemSource } from '../ports/item-source';
import type { SessionLog } from '../session/session-log';
import { sessionsDefinition } from './provider-definitions';

/**
 * Facts that change a session's name, project or listing. Messages are excluded: each
 * would reload all sessions.
 */
const naming: ReadonlySet<string> = new Set([
  ...['session-created', 'session-renamed', 'session-archived', 'session-restored', 'project-chosen'],
]);

function toItem({ id, title, project }: SessionSummary): ResolverItem {
  return {
    header: { id, displayName: title === '' ? 'A session without a name' : title },
    ...(project !== null && { description: project }),
    aliases: [],
    keywords: [],
    userTitled: true,
  };
}

/** Lists unarchived sessions, newest first, in the log's order. */
export function createSessionsSource(log: Pick<SessionLog, 'summaries' | 'subscribe'>): ItemSource {
  return {
    source: { providerId: sessionsDefinition.id },
    definition: sessionsDefinition,
    scopeKey: () => '',
    load: () => {
      const found = log.summaries({ archived: false });
      return Promise.resolve(found.ok ? ok(found.value.map(toItem)) : found);
    },
    onChange: (listener) =>
      log.subscribe((events) => {
        if (events.some(({ type }) => naming.has(type))) listener();
      }),
  };
}
