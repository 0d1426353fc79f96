import { appError } from '#shared/app-error';
import { ok, type Result } from '#shared/result';
import type { Action, Routing } from '#shared/route';
import type { SessionState } from '#shared/session-state';
import type { App } from '../../app';
import { standardInput } from '../read-input';
import { readLines } from '../read-lines';
import { describeError, exitCodeOf, fail, print, type ExitCode, type Terminal } from '../output';

export interface RouteOptions {
  readonly mode?: string;
  readonly session?: string;
  /** Separated by commas. */
  readonly roles?: string;
  readonly ui: boolean;
}

function stateFor(app: Pick<App, 'log'>, session: string | undefined): Result<SessionState | null> {
  return session === undefined ? ok(null) : app.log.peek(session);
}

const namesOf = (roles: string): readonly string[] =>
  roles
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');

function describeAction(action: Action): string {
  switch (action.type) {
    case 'open-picker':
      return `open-picker ${action.commandId}${action.prefilterText ? ` “${action.prefilterText}”` : ''}`;
    case 'invoke-command':
      return `invoke-command ${action.commandId} ${action.resolvedId}`;
    case 'ask-clarifying-question':
      return `ask-clarifying-question ${action.questionText} [${(action.options ?? []).join(' | ')}]`;
    case 'continue-with-llm':
      return `continue-with-llm ${action.reasonCode ?? ''}`.trimEnd();
  }
}

/**
 * `patina route TEXT`: prints the action and its trace; `-` routes each line of standard input and prints an
 * array. Changes nothing.
 */
export async function routeCommand(
  app: Pick<App, 'lines' | 'log' | 'modes' | 'plane'>,
  terminal: Terminal,
  text: string,
  { mode, session, roles, ui }: RouteOptions,
): Promise<ExitCode> {
  const state = stateFor(app, session);
  if (!state.ok) return fail(terminal, state.error);
  if (mode !== undefined && !app.modes.find(mode)) {
    const unknown = appError('HOST', 'NOT_FOUND', app.modes.unknownMode(mode));
    if (terminal.json) return fail(terminal, unknown);
    terminal.log(describeError(unknown));
    return exitCodeOf(unknown);
  }
  const place = {
    state: state.value,
    ui,
    ...(mode !== undefined && { modeKey: mode }),
    ...(roles !== undefined && { roles: namesOf(roles) }),
  };
  await app.plane.warmFully(place);
  const show = (routing: Routing): string => `${describeAction(routing.action)}\n  ${routing.trace.decision}`;
  if (text !== standardInput) {
    const routing = await app.lines.preview(text, place);
    print(terminal, routing, () => show(routing));
    return 0;
  }
  const routings: Routing[] = [];
  for (const line of await readLines(terminal)) routings.push(await app.lines.preview(line, place));
  print(terminal, routings, () => routings.map(show).join('\n'));
  return 0;
}
