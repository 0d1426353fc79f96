import type { App } from '../app';
import { isProjectStream } from '../../core/session/project-stream';
import { summaryOf } from '#shared/session-state';
import type { PushChannel } from './push-channel';

/** Connects state changes in main to pushes to the window. */
export function pushEverything(
  app: Pick<App, 'authoring' | 'elicitations' | 'log' | 'notices' | 'onModels' | 'onReplyDelta' | 'settings'>,
  channel: PushChannel,
): void {
  app.log.subscribe((events, sessionId) => {
    channel.push({ type: 'events', sessionId, events });
    // A project's own workspace is stored like a session but is not one: it appears in no list.
    const state = isProjectStream(sessionId) ? null : app.log.state(sessionId);
    if (state) channel.push({ type: 'session-changed', summary: summaryOf(state) });
  });
  app.log.onImported((summary) => channel.push({ type: 'session-changed', summary }));
  app.log.onRemoved((sessionId) => channel.push({ type: 'session-removed', sessionId }));
  app.onReplyDelta((delta) => channel.push({ type: 'reply-delta', ...delta }));
  app.onModels((models) => channel.push({ type: 'models-changed', models }));
  app.settings.onChange((settings) => channel.push({ type: 'settings-changed', settings }));
  app.notices.subscribe((notice) => channel.push({ type: 'notice-raised', notice }));
  app.elicitations.subscribe({
    onAsked: (elicitation) => channel.push({ type: 'elicitation-asked', elicitation }),
    over: (id) => channel.push({ type: 'elicitation-over', id }),
  });
  app.authoring.onChange(() => channel.push({ type: 'workflows-changed' }));
  app.notices.onWithdrawn((id) => channel.push({ type: 'notice-withdrawn', id }));
}
