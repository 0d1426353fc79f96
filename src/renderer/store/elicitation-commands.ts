import type { ElicitAnswer } from '#shared/elicitation';
import type { Result } from '#shared/result';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import type { SessionMirror } from './session-mirror';
import type { View } from './view-state';

/** Commands for elicitations (questions that MCP servers ask the user). */
export interface ElicitationCommands {
  readonly answerElicitation: (id: string, answer: ElicitAnswer) => Promise<Result<null>>;
}

export function createElicitationCommands({ bridge }: CommandDeps): ElicitationCommands {
  return { answerElicitation: (id, answer) => bridge.invoke('elicitation-answer', { id, answer }) };
}

/** Announces an elicitation to screen readers when it becomes the first in the queue. */
export function announceElicitations({
  mirror,
  view,
}: {
  readonly mirror: SessionMirror;
  readonly view: View;
}): () => void {
  return mirror.store.subscribe(({ elicitations: [after] }, { elicitations: [before] }) => {
    if (!after || after.id === before?.id) return;
    const { server, message } = after.request;
    view.announce(text('store.serverAsks', { server, message }).slice(0, 500));
  });
}
