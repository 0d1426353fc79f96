import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { SessionLog } from '../session/session-log';
import { changeModeTool } from './change-mode-tool';
import type { CommandRunner } from './command-runner';
import type { ControlPlane, FoundItem } from './control-plane';
import type { ModelQuestions } from './model-questions';

export interface RunCommandDeps {
  readonly log: SessionLog;
  readonly plane: ControlPlane;
  readonly questions: ModelQuestions;
  readonly commands: CommandRunner;
}

interface Proposal {
  readonly commandId: string;
  readonly id: string;
}

const toolName = 'agent_run_command';
const refuse = (message: string) =>
  appError('TOOL', 'INVALID_ARGUMENTS', message, { tool: toolName, layer: 'arguments' });

/**
 * The proposed item, if the session's mode offers the command; otherwise an error that says what is valid.
 */
function check({ plane }: RunCommandDeps, state: SessionState, proposal: Proposal): Result<FoundItem> {
  const { commandId, id } = proposal;
  const command = plane.command(commandId);
  const offered = plane.view(state).commands.filter(
    // The window is the user's own: a model never proposes what to do with it.
    ({ commandKind, actionId }) => commandKind === 'executable' && actionId === undefined,
  );
  if (!command || !offered.some((row) => row.commandId === commandId)) {
    const names = offered.map((row) => row.commandId).join(', ');
    return err(refuse(`Unknown command "${commandId}". Commands: ${names}.`));
  }
  if (command.setsSessionMode) return err(refuse(`Use ${changeModeTool} to propose another mode.`));
  const found = plane.find(state, command.resolverSource, id);
  return found ? ok(found) : err(refuse(`${commandId}: there is no item with the id "${id}".`));
}

/** Asks the user about the proposal; null when the call was cancelled. */
function ask({ plane, questions }: RunCommandDeps, proposal: Proposed): Promise<Result<string | null>> {
  const { context, state, commandId, found } = proposal;
  const { id, displayName } = found.item.header;
  const name = plane.command(commandId)?.displayName ?? commandId;
  const question = {
    text: `${name}: “${displayName}”?`,
    options: ['Yes', 'No'],
    commandId,
    resolvedId: id,
    detail: `The model proposes ${commandId} with ${id}.`,
    mode: plane.modeOf(state).key,
    focusId: state.context?.entityHeader?.id ?? null,
  };
  return questions.ask(context, question, () => ok({ facts: [] }));
}

interface Proposed {
  readonly context: BuiltInToolContext;
  readonly state: SessionState;
  readonly commandId: string;
  readonly found: FoundItem;
}

const reply = (success: boolean, words: string): Result<string> =>
  ok(JSON.stringify({ success, reply: words }));

async function propose(
  deps: RunCommandDeps,
  context: BuiltInToolContext,
  state: SessionState,
  proposal: Proposal,
): Promise<Result<string>> {
  const found = check(deps, state, proposal);
  if (!found.ok) return found;
  const { commandId, id } = proposal;
  const answer = await ask(deps, { context, state, commandId, found: found.value });
  if (!answer.ok) return answer;
  if (answer.value !== 'Yes') return reply(false, 'The user said no.');
  const run = { sessionId: state.id, turn: context.turn ?? 0, commandId, id, toolCallId: context.callId };
  const ended = await deps.commands.run(run);
  if (!ended.ok) return ended;
  return reply(ended.value.outcome === 'done', `The user said yes. ${ended.value.summary}`);
}

/**
 * `agent_run_command {commandId, id}`: the model proposes a command and the user decides on its card. A yes
 * runs exactly what was shown, through the same boundary as the user's own commands (AGN-000037 §10).
 */
export function createRunCommandTool(deps: RunCommandDeps): BuiltInTool {
  return {
    name: toolName,
    isToolFullyExecutedOnServer: true,
    alwaysOffered: false,
    asksItself: true,
    needsSession: true,
    toolUsageMetadata:
      'Proposes a command of the app, for example to make something the active work context. The user is asked and decides. Never say it was done before the result says so.',
    schema: {
      type: 'object',
      properties: {
        commandId: { type: 'string', description: 'Id of an active command.' },
        id: { type: 'string', description: 'Id of the item it is given.' },
      },
      required: ['commandId', 'id'],
      additionalProperties: false,
    },
    async execute(argumentsJson, context) {
      const state = context.sessionId === null ? null : deps.log.state(context.sessionId);
      if (!state || context.turn === null) return err(refuse('There is no session to run a command in.'));
      return propose(deps, context, state, JSON.parse(argumentsJson) as Proposal);
    },
  };
}
