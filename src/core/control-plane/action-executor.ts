import { appError } from '#shared/app-error';
import { needsHostConfirmation, type CommandDefinition } from '#shared/command';
import { err, ok, type Result } from '#shared/result';
import type { Action } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { WindowActionCall } from '#shared/window-action';
import type { Ids } from '../ports/ids';
import type { Conversation } from '../session/conversation';
import type { TurnReport } from '../session/turn-work';
import type { SessionLog } from '../session/session-log';
import type { CommandRunner } from './command-runner';
import type { ControlPlane } from './control-plane';
import { questionFrom } from './question-facts';

/** The outcome of a line, choice or answer, with the work that it started and that is still running. */
export interface LineOutcome {
  readonly pending: Promise<TurnReport | null> | null;
  /** The session that its command opens. */
  readonly opened?: string;
  /** What its command asks the window, or the terminal, to do. */
  readonly windowAction?: WindowActionCall;
}

export const noPendingWork: LineOutcome = { pending: null };

export interface ActionExecutorDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly conversation: Conversation;
  readonly commands: CommandRunner;
  readonly ids: Ids;
}

/** Executes the router's actions on recorded lines. */
export type ActionExecutor = ReturnType<typeof createActionExecutor>;

type AskAction = Extract<Action, { type: 'ask-clarifying-question' }>;

/** The error for an item that disappeared after it was shown. */
export const itemNotFound = (id: string) =>
  appError('HOST', 'NOT_FOUND', `\u201c${id}\u201d can no longer be chosen.`);

/** Describes what a yes does: the command, its argument, and the entity in focus. */
function detailOf(
  command: CommandDefinition,
  resolvedId: string | undefined,
  { context }: SessionState,
): string {
  const header = context?.entityHeader;
  const lines = [
    command.description ?? command.displayName,
    ...(resolvedId === undefined ? [] : [`${command.commandId} with ${resolvedId}`]),
    ...(header ? [`Working on: ${header.displayName} (${header.id})`] : []),
  ];
  return lines.join('\n');
}

/** The state that a question depends on; a change of mode or focus withdraws the question. */
function boundTo(plane: ControlPlane, state: SessionState, { commandId, resolvedId }: AskAction) {
  const command = commandId === undefined ? undefined : plane.command(commandId);
  const binding = command !== undefined && needsHostConfirmation(command);
  return {
    binding,
    ...(binding && { detail: detailOf(command, resolvedId, state) }),
    yesWords: command?.confirmation?.yesWords ?? [],
    mode: plane.modeOf(state).key,
    focusId: state.context?.entityHeader?.id ?? null,
  };
}

export function createActionExecutor({ plane, log, conversation, commands, ids }: ActionExecutorDeps) {
  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = facts.length === 0 ? ok(null) : log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };
  const questionFact = (
    state: SessionState,
    turn: number,
    action: AskAction,
    repeated: boolean = false,
  ): SessionFact => {
    const bound = { questionId: ids.next('qst'), asked: repeated ? 2 : 1, ...boundTo(plane, state, action) };
    return { type: 'question-asked', turn, question: questionFrom(action, bound) };
  };
  const forwardToModel = (sessionId: string, turn: number): Result<LineOutcome> => {
    const resumed = conversation.resume({ sessionId, turn });
    return resumed.ok ? ok({ pending: resumed.value.done }) : resumed;
  };
  return {
    record,
    /** The fact that records a question, bound to the session's current mode and focus. */
    questionFact,
    /** Forwards a line that the router has handled to the model. */
    forwardToModel,
    /** The state of a writable session. */
    opened(sessionId: string): Result<SessionState> {
      const session = log.open(sessionId);
      if (!session.ok) return session;
      return session.value.readOnly ? err(session.value.readOnly) : ok(session.value.state);
    },
    async execute(state: SessionState, turn: number, action: Action): Promise<Result<LineOutcome>> {
      const sessionId = state.id;
      if (action.type === 'invoke-command') {
        return commands.run({ sessionId, turn, commandId: action.commandId, id: action.resolvedId });
      }
      if (action.type === 'ask-clarifying-question') {
        const recorded = record(sessionId, [questionFact(state, turn, action)]);
        return recorded.ok ? ok(noPendingWork) : recorded;
      }
      if (action.type === 'open-picker' || action.reasonCode === 'question-declined')
        return ok(noPendingWork);
      return forwardToModel(sessionId, turn);
    },
  };
}
