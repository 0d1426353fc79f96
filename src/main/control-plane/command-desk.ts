import { appError, type AppError } from '#shared/app-error';
import type { CommandDefinition } from '#shared/command';
import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { FactOf, SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { EntityHeader } from '#shared/work-context';
import type { SentLine } from '../session/conversation';
import type { HostCalls } from '../tools/host-calls';
import type { SessionLog } from '../session/session-log';
import { setContextTool } from './context-tools';
import type { ControlPlane } from './control-plane';

/** A command, the Id it is given, and the line it belongs to. */
export interface CommandRun {
  readonly sessionId: string;
  readonly turn: number;
  readonly commandId: string;
  readonly id: string;
  /** The tool call that proposed it and was said yes to; none: the user's own command. */
  readonly toolCallId?: string;
}

/** Runs that a command starts on its line: a recipe, or one call of a server's tool as a plan of one node. */
export interface CommandRuns {
  recipe(run: CommandRun, recipeId: string): Result<SentLine>;
  toolCall(run: CommandRun, command: CommandDefinition, args: JsonObject): Result<SentLine>;
}

/** What came of a command; a run that it started goes on by itself on the command's line. */
export interface CommandEnd {
  readonly outcome: 'done' | 'failed';
  readonly summary: string;
  readonly going: SentLine['done'] | null;
  /** A session the command leads to. */
  readonly opened?: string;
}

/** The command boundary: every command, whoever wants it, is carried out here and nowhere else (AGN-000037 §10). */
export interface CommandDesk {
  /**
   * Checks, records, calls the command's tool through the gate, records what came of it. A command that fails is a
   * recorded fact, not an error; an error means that nothing could be recorded.
   */
  run(run: CommandRun): Promise<Result<CommandEnd>>;
}

export interface CommandDeskDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly hostCalls: HostCalls;
  readonly roles: () => readonly string[];
  readonly runs: CommandRuns;
}

const recipeTool = 'run_recipe';

interface Ready {
  readonly command: CommandDefinition;
  readonly item: EntityHeader;
  readonly state: SessionState;
}

/** The Id and the row's constants; a command that sets the focus also says of which type and from where. */
function argumentsOf({ command, item }: Ready): JsonObject {
  const { singleParameterName, constants, activeEntityType, resolverSource, toolName } = command;
  const focus =
    toolName === setContextTool && activeEntityType !== undefined
      ? { entityType: activeEntityType, source: { ...resolverSource } }
      : {};
  return { ...constants, ...focus, [singleParameterName]: item.id };
}

function missingRoles(command: CommandDefinition, roles: readonly string[]): AppError | null {
  const missing = command.requiredRoles.filter((role) => !roles.includes(role));
  if (missing.length === 0) return null;
  return appError('POLICY', 'ROLE_REQUIRED', `${command.displayName} needs the role ${missing.join(', ')}.`, {
    hint: 'Roles are set in ui_settings.json, or with --roles on the command line.',
  });
}

function missingFocus({ command, state }: Ready): AppError | null {
  const { requiredFocus } = command;
  if (requiredFocus === undefined || state.context?.entityType === requiredFocus) return null;
  const what = requiredFocus.replaceAll('_', ' ');
  return appError('HOST', 'STATE', `${command.displayName} needs an active ${what}, and there is none.`, {
    hint: `Choose the ${what} first.`,
  });
}

/** A text the tool's result has under a name. */
function saidIn(result: string, name: 'summary' | 'opened'): string | undefined {
  const parsed = parseJson(result);
  const value = parsed.ok && isObject(parsed.value) ? parsed.value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** One line about what was done: the tool's own words, else the command's name and what it was given. */
function summaryOf({ command, item }: Ready, result: string): string {
  const said = saidIn(result, 'summary');
  if (said !== undefined) return said;
  return command.setsSessionMode
    ? `Mode: ${item.displayName}`
    : `${command.displayName}: ${item.displayName}`;
}

export function createCommandDesk(deps: CommandDeskDeps): CommandDesk {
  const { plane, log, hostCalls } = deps;

  const ready = (run: CommandRun): Result<Ready> => {
    const state = log.state(run.sessionId);
    const command = plane.command(run.commandId);
    if (!state || !command) {
      return err(appError('HOST', 'NOT_FOUND', `There is no command ${run.commandId}.`));
    }
    const found = plane.find(state, command.resolverSource, run.id);
    if (found) return ok({ command, item: found.item.header, state });
    return err(
      appError('HOST', 'NOT_FOUND', `${command.displayName}: there is no “${run.id}” to choose any more.`),
    );
  };

  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };

  /** Calls the tool; a run goes on by itself and ends on its own card. */
  const call = async (run: CommandRun, what: Ready): Promise<Result<string | SentLine>> => {
    const { command } = what;
    const args = argumentsOf(what);
    const started = command.toolName.startsWith('mcp://')
      ? deps.runs.toolCall(run, command, args)
      : command.toolName === recipeTool && deps.runs.recipe(run, what.item.id);
    if (started) return started;
    const called = await hostCalls.call(
      { name: command.toolName, argumentsJson: JSON.stringify(args) },
      {
        sessionId: run.sessionId,
        turn: run.turn,
        actor: 'user',
        signal: new AbortController().signal,
        cause:
          run.toolCallId === undefined ? { commandId: command.commandId } : { toolCallId: run.toolCallId },
      },
    );
    return called.result;
  };

  const end = (
    { sessionId, turn }: CommandRun,
    ended: Omit<FactOf<'command-ended'>, 'type' | 'turn'>,
    after: Partial<Pick<CommandEnd, 'going' | 'opened'>> = {},
  ): Result<CommandEnd> => {
    const recorded = record(sessionId, [{ type: 'command-ended', turn, ...ended }]);
    const { outcome, summary } = ended;
    return recorded.ok ? ok({ outcome, summary, going: null, ...after }) : recorded;
  };
  const failed = (run: CommandRun, error: AppError): Result<CommandEnd> =>
    end(run, { outcome: 'failed', summary: error.message, error });

  return {
    async run(run) {
      const { sessionId, turn, commandId } = run;
      const what = ready(run);
      const item = what.ok ? what.value.item : { id: run.id, displayName: run.id };
      const displayName = plane.command(commandId)?.displayName ?? commandId;
      const invoked = record(sessionId, [{ type: 'command-invoked', turn, commandId, displayName, item }]);
      if (!invoked.ok) return invoked;
      if (!what.ok) return failed(run, what.error);
      const refusal = missingRoles(what.value.command, deps.roles()) ?? missingFocus(what.value);
      if (refusal) return failed(run, refusal);
      const result = await call(run, what.value);
      if (!result.ok) return failed(run, result.error);
      const { value } = result;
      if (typeof value !== 'string') {
        return end(run, { outcome: 'done', summary: summaryOf(what.value, '{}') }, { going: value.done });
      }
      const opened = saidIn(value, 'opened');
      return end(
        run,
        { outcome: 'done', summary: summaryOf(what.value, value) },
        opened === undefined ? {} : { opened },
      );
    },
  };
}
