import type { IpcHandlers } from '#shared/ipc';
import type { elicitationCalls } from '#shared/ipc-elicitations';
import { ok } from '#shared/result';
import type { App } from '../app';

/** Servers' questions to the user, as the window answers them. */
export function createElicitationHandlers({
  elicitations,
}: App): Pick<IpcHandlers, keyof typeof elicitationCalls> {
  return {
    'elicitation-list': () => ok(elicitations.open()),
    'elicitation-answer': ({ id, answer }) => elicitations.answer(id, answer),
  };
}
