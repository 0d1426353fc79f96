import { appError } from '#shared/app-error';
import type { AgentMode } from '#shared/mode';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ApprovePolicy } from '../../agent/agent';
import type { App } from '../../app';
import { createQuestionDesk } from '../ask-question';
import { openSession } from '../open-session';
import { fail, type ExitCode, type Terminal } from '../output';

export interface ToolOptions {
  readonly mode?: string;
  readonly session?: string;
  readonly approve?: ApprovePolicy;
}

interface Place {
  readonly state: SessionState | null;
  readonly mode: AgentMode;
}

/** The session and mode a call is made in; a tool that changes a session gets a new one when none is named. */
function placeFor(app: App, name: string, { mode, session }: ToolOptions): Result<Place> {
  const wanted = mode === undefined ? undefined : app.modes.find(mode);
  if (mode !== undefined && !wanted) {
    return err(appError('HOST', 'NOT_FOUND', app.modes.unknownMode(mode)));
  }
  const needed = session !== undefined || app.hostCalls.find(name)?.needsSession === true;
  const opened = needed ? openSession(app, session) : ok(null);
  if (!opened.ok) return opened;
  return ok({ state: opened.value, mode: wanted ?? app.plane.modeOf(opened.value) });
}

/** `patina tool NAME JSON`: a host tool's result, as a model in that mode would get it; refusals are the typed error. */
export async function toolCommand(
  app: App,
  terminal: Terminal,
  call: { readonly name: string; readonly argumentsJson: string },
  options: ToolOptions,
): Promise<ExitCode> {
  const place = placeFor(app, call.name, options);
  if (!place.ok) return fail(terminal, place.error);
  const { state, mode } = place.value;
  const approve = options.approve ?? (terminal.interactive ? 'ask' : 'none');
  const stop = new AbortController();
  const deafen = terminal.onInterrupt(() => stop.abort());
  const desk = createQuestionDesk(app, terminal, terminal.interactive);
  const unfollow = app.log.subscribe((events, id) => id === state?.id && desk.hear(events));
  if (state) await app.plane.settle({ state, ui: false });
  const { result } = await app.hostCalls.call(call, {
    ...{ sessionId: state?.id ?? null, turn: state ? state.turnCount : null, actor: 'model' },
    ...{ lists: { modeTools: app.modes.getToolsForMode(mode.key) }, approve, signal: stop.signal },
  });
  unfollow();
  desk.close();
  deafen();
  if (!result.ok) return fail(terminal, result.error);
  terminal.out(`${result.value}\n`);
  return 0;
}
