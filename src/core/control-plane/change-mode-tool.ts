import { appError, type AppError } from '#shared/app-error';
import type { AgentMode } from '#shared/mode';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { ModeCatalog } from '../modes/mode-catalog';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { Conversation } from '../session/conversation';
import type { SessionLog } from '../session/session-log';
import type { AnswerEffect, ModelQuestions } from './model-questions';

export const changeModeTool = 'agent_change_mode';

export interface ChangeModeDeps {
  readonly log: SessionLog;
  readonly modes: ModeCatalog;
  readonly questions: ModelQuestions;
  /** The session's mode. */
  readonly modeOf: (state: SessionState) => AgentMode;
  readonly conversation: Pick<Conversation, 'send'>;
  /** Why the session's mode cannot change now, or null when it can. The user sees this error, too. */
  readonly blockedReason: (context: BuiltInToolContext, to: AgentMode) => AppError | null;
}

interface Arguments {
  readonly mode: string;
  readonly branch: boolean;
  readonly reason: string;
}

interface Change {
  readonly context: BuiltInToolContext;
  readonly sessionId: string;
  readonly requested: Arguments;
  readonly from: AgentMode;
  readonly to: AgentMode;
}

const stay = 'Stay';
const switchHere = 'Switch this session';
const switchInNewSession = 'Switch and start a new session';

const refuse = (message: string): AppError =>
  appError('TOOL', 'INVALID_ARGUMENTS', message, { tool: changeModeTool, layer: 'arguments' });

const result = (success: boolean, mode: string, branch: boolean, reason: string): string =>
  JSON.stringify({ success, mode, branch, reason });

function changed({ context, requested, from, to }: Change): SessionFact {
  return {
    type: 'mode-changed',
    from: from.id,
    to: to.id,
    cause: context.cause,
    reason: requested.reason.trim(),
  };
}

/** Sends the line of a change to another session, to continue there. */
function sendLineTo({ log, conversation }: ChangeModeDeps, { sessionId, context }: Change, to: string): void {
  const state = log.state(sessionId);
  const line = state && context.turn !== null ? turnAt(state, context.turn) : undefined;
  if (!line) return;
  const { text, runMode, model } = line;
  conversation.send({ sessionId: to, text, runMode, model });
}

/** Creates a session on the same project in the new mode, and returns the fact that links to it. */
function branchOff(deps: ChangeModeDeps, change: Change): Result<AnswerEffect> {
  const { log } = deps;
  const { sessionId, context, to } = change;
  const created = log.create(log.state(sessionId)?.project ?? null);
  if (!created.ok) return created;
  const opened = created.value.id;
  const moved = log.append(opened, [changed(change)]);
  if (!moved.ok) return moved;
  if (context.turn === null) return ok({ facts: [], opened });
  sendLineTo(deps, change, opened);
  const branched: SessionFact = {
    type: 'session-branched',
    turn: context.turn,
    opened,
    mode: to.key,
  };
  return ok({ facts: [branched], opened });
}

/** Asks the user on a card. Nothing changes before the answer; the answer and the change are one commit. */
async function askUser(deps: ChangeModeDeps, change: Change): Promise<Result<string>> {
  const { context, sessionId, requested, from, to } = change;
  const focusId = deps.log.state(sessionId)?.context?.entityHeader?.id ?? null;
  const options = requested.branch
    ? [switchInNewSession, switchHere, stay]
    : [switchHere, switchInNewSession, stay];
  const answer = await deps.questions.ask(
    context,
    { text: `Switch to ${to.displayName}?`, detail: requested.reason, options, mode: from.key, focusId },
    (option) => {
      if (option === switchInNewSession) return branchOff(deps, change);
      return ok({ facts: option === switchHere ? [changed(change)] : [] });
    },
  );
  if (!answer.ok) return answer;
  if (answer.value === switchHere) return ok(result(true, to.key, false, requested.reason));
  if (answer.value === switchInNewSession) return ok(result(true, to.key, true, requested.reason));
  const message = answer.value === null ? 'The question was withdrawn.' : 'The user chose to stay.';
  return ok(result(false, from.key, false, message));
}

/** The problem with a requested mode and the valid values; null when the request is valid. */
function problemWith(deps: ChangeModeDeps, requested: Arguments): string | null {
  const keys = deps.modes.getAllModes().map(({ key }) => key);
  const to = deps.modes.find(requested.mode);
  if (!to) return `Unknown mode "${requested.mode}". Valid modes: ${keys.join(', ')}.`;
  if (requested.reason.trim() === '')
    return 'reason is empty: say in one sentence why the mode should change.';
  return null;
}

/**
 * Whether the session is in a mode. A session with an unknown mode id is in none, so that choosing the
 * default mode counts as a change.
 */
function isIn({ modes, modeOf }: ChangeModeDeps, state: SessionState, mode: AgentMode): boolean {
  const known = state.modeId === null || modes.find(state.modeId) !== undefined;
  return known && modeOf(state).id === mode.id;
}

/** The result when the session is already in the requested mode: a success that changes nothing. */
function alreadyThere({ context, to }: Change): string {
  const words = `Already in ${to.displayName}.`;
  if (context.actor === 'model') return result(true, to.key, false, words);
  return JSON.stringify({ success: true, mode: to.key, branch: false, reason: words, summary: words });
}

/**
 * `agent_change_mode {mode, branch, reason}`: the only path that changes a session's mode (AGN-014 §9). A
 * call from the user's own command is its own approval; for a model's call, the host asks the user and
 * returns the answer to the model.
 */
export function createChangeModeTool(deps: ChangeModeDeps): BuiltInTool {
  return {
    name: changeModeTool,
    isToolFullyExecutedOnServer: true,
    alwaysOffered: true,
    asksItself: true,
    needsSession: true,
    toolUsageMetadata:
      'Proposes another session mode; the user decides. Call it only when the user shows interest in switching, and say what was decided.',
    schema: {
      type: 'object',
      properties: {
        mode: { type: 'string' },
        branch: { type: 'boolean', description: 'Whether a new session suits better.' },
        reason: { type: 'string', description: 'One sentence for the user.' },
      },
      required: ['mode', 'branch', 'reason'],
      additionalProperties: false,
    },
    async execute(argumentsJson, context) {
      const { sessionId } = context;
      const state = sessionId === null ? null : deps.log.state(sessionId);
      if (sessionId === null || !state) return err(refuse('There is no session whose mode could change.'));
      const requested = JSON.parse(argumentsJson) as Arguments;
      const from = deps.modeOf(state);
      const problem = problemWith(deps, requested);
      const to = deps.modes.find(requested.mode);
      if (problem !== null || !to) return err(refuse(problem ?? ''));
      const change = { context, sessionId, requested, from, to };
      if (isIn(deps, state, to)) return ok(alreadyThere(change));
      const blockedReason = deps.blockedReason(context, to);
      if (blockedReason) return err(blockedReason);
      if (context.actor === 'model') return askUser(deps, change);
      const committed = deps.log.append(sessionId, [changed(change)]);
      return committed.ok ? ok(result(true, to.key, false, requested.reason)) : committed;
    },
  };
}
