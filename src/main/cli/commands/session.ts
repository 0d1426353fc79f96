import type { SessionState, Turn } from '#shared/session-state';
import type { Result } from '#shared/result';
import type { App } from '../../app';
import { exportMarkdown } from '#shared/export-markdown';
import { fail, print, type ExitCode, type Terminal } from '../output';

function show<T>(terminal: Terminal, result: Result<T>, text: (value: T) => string): ExitCode {
  if (!result.ok) return fail(terminal, result.error);
  print(terminal, result.value, () => text(result.value));
  return 0;
}

export function sessionListCommand(app: App, terminal: Terminal): ExitCode {
  return show(terminal, app.log.summaries({ archived: false }), (sessions) =>
    sessions
      .map((session) => `${session.id}  ${new Date(session.updatedAt).toISOString()}  ${session.title}`)
      .join('\n'),
  );
}

/** The fold of a session, without becoming its writer: looking must not take it from a window that is open on it. */
export function sessionShowCommand(app: App, terminal: Terminal, id: string): ExitCode {
  return show(terminal, app.log.peek(id), (state) => exportMarkdown(state));
}

export function sessionEventsCommand(app: App, terminal: Terminal, id: string): ExitCode {
  return show(terminal, app.log.events(id), (events) =>
    events.map((event) => JSON.stringify(event)).join('\n'),
  );
}

export function sessionReplayCommand(app: App, terminal: Terminal, id: string): ExitCode {
  const replay = app.log.replay(id);
  if (!replay.ok) return fail(terminal, replay.error);
  const { events, stateHash, equal } = replay.value;
  print(
    terminal,
    replay.value,
    () => `${events} events, state ${stateHash}, ${equal ? 'equal' : 'NOT equal'}`,
  );
  return equal ? 0 : 1;
}

export type ExportFormat = 'md' | 'json';

const turnsOf = (state: SessionState): readonly Turn[] => state.blocks.flat();

/** `--format md` for people; `--format json` with every turn. With `--json` the document is the JSON either way. */
export function sessionExportCommand(
  app: App,
  terminal: Terminal,
  id: string,
  format: ExportFormat,
): ExitCode {
  const state = app.log.peek(id);
  if (!state.ok) return fail(terminal, state.error);
  const { blocks: _blocks, ...head } = state.value;
  const document = { ...head, turns: turnsOf(state.value) };
  if (format === 'json') print({ ...terminal, json: true }, document, () => '');
  else print(terminal, { format, text: exportMarkdown(state.value) }, () => exportMarkdown(state.value));
  return 0;
}
