import type { ExportFormat, ImportReport } from '#shared/session-file';
import { readNext } from '#shared/read-path';
import { turnAt } from '#shared/session-state';
import { exportSession, sessionDocument } from '../../../core/session/session-document';
import { noSuchTurn } from '../../../core/session/turn-place';
import { appError } from '#shared/app-error';
import { ok, type Result } from '#shared/result';
import type { App } from '../../app';
import { exportMarkdown } from '#shared/export-markdown';
import { pathArgument } from '../caller-paths';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { reportDamage } from '../report-damage';

function show<T>(terminal: Terminal, result: Result<T>, text: (value: T) => string): ExitCode {
  if (!result.ok) return fail(terminal, result.error);
  print(terminal, result.value, () => text(result.value));
  return 0;
}

export function sessionListCommand(app: Pick<App, 'log'>, terminal: Terminal): ExitCode {
  const listed = app.log.summaries({ archived: false });
  if (!listed.ok) return fail(terminal, listed.error);
  const rows = app.log.marked(listed.value);
  print(terminal, rows, () =>
    listed.value
      .map(({ id, updatedAt, title }) => `${id}  ${new Date(updatedAt).toISOString()}  ${title}`)
      .join('\n'),
  );
  for (const { id, damaged } of rows)
    if (damaged !== undefined) reportDamage(app, terminal, app.log.check(id));
  return 0;
}

/**
 * Reads the state of a session without becoming its writer: a read must not take the session from a window.
 */
export function sessionShowCommand(app: Pick<App, 'log'>, terminal: Terminal, id: string): ExitCode {
  const state = app.log.peek(id);
  if (!state.ok) return fail(terminal, state.error);
  print(terminal, sessionDocument(state.value), () => exportMarkdown(state.value));
  reportDamage(app, terminal, app.log.check(id));
  return 0;
}

/** `patina session head ID TURN`: the session continues from another turn; nothing is deleted. */
export function sessionHeadCommand(
  app: Pick<App, 'conversation'>,
  terminal: Terminal,
  id: string,
  turn: number,
): ExitCode {
  const moved = app.conversation.moveHead(id, turn);
  if (!moved.ok) return fail(terminal, moved.error);
  print(terminal, { id, head: turn }, () => `The session continues from turn ${turn}.`);
  return 0;
}

/** `patina session uncompact ID`: takes back the summary in use; models read the turns themselves again. */
export function sessionUncompactCommand(
  app: Pick<App, 'log' | 'undoCompaction'>,
  terminal: Terminal,
  id: string,
): ExitCode {
  const opened = app.log.open(id);
  if (!opened.ok) return fail(terminal, opened.error);
  const { compaction } = readNext(opened.value.state);
  const undone = app.undoCompaction(id, compaction?.upTo ?? -1);
  if (!undone.ok) return fail(terminal, undone.error);
  print(terminal, { id, undone: compaction }, () => 'Models read the earlier turns themselves again.');
  return 0;
}

/** `patina session fork ID [--turn N]`: copies the session up to a turn into a new one. */
export function sessionForkCommand(
  app: Pick<App, 'log'>,
  terminal: Terminal,
  id: string,
  options: { readonly turn?: number },
): ExitCode {
  const state = app.log.peek(id);
  if (!state.ok) return fail(terminal, state.error);
  const turn = options.turn ?? state.value.head;
  const forked = app.log.fork(id, turn);
  if (!forked.ok) return fail(terminal, forked.error);
  const { id: sessionId } = forked.value;
  print(terminal, { sessionId, from: { sessionId: id, turn } }, () => sessionId);
  // The fork is whole: it only says in its turns what the original has lost.
  reportDamage(app, terminal, app.log.check(id));
  return 0;
}

export function sessionEventsCommand(app: Pick<App, 'log'>, terminal: Terminal, id: string): ExitCode {
  const code = show(terminal, app.log.events(id), (events) =>
    events.map((event) => JSON.stringify(event)).join('\n'),
  );
  reportDamage(app, terminal, app.log.check(id));
  return code;
}

export function sessionReplayCommand(app: Pick<App, 'log'>, terminal: Terminal, id: string): ExitCode {
  const replay = app.log.replay(id);
  if (!replay.ok) return fail(terminal, replay.error);
  const { events, stateHash, equal, damaged } = replay.value;
  print(
    terminal,
    replay.value,
    () =>
      `${events} events, state ${stateHash}, ${equal ? 'equal' : 'DIFFERENT'}${damaged > 0 ? `, ${damaged} damaged` : ''}`,
  );
  reportDamage(app, terminal, app.log.check(id));
  return equal ? 0 : 1;
}

/** Whether the user confirms the deletion at the terminal. */
async function mayDelete(terminal: Terminal, title: string): Promise<boolean> {
  const name = title || 'New session';
  const answer = await terminal.readLine(`Delete “${name}” permanently? This cannot be undone. (y/N) `);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

const notAsked = appError('HOST', 'INVALID_INPUT', 'There is no terminal to ask for confirmation.', {
  hint: 'Use --yes to delete the session without a question.',
});

/** `patina session delete ID`: deletes permanently, after the user confirms or with `--yes`. */
export async function sessionDeleteCommand(
  app: Pick<App, 'eraseDeleted' | 'log'>,
  terminal: Terminal,
  id: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<ExitCode> {
  const state = app.log.peek(id);
  if (!state.ok) return fail(terminal, state.error);
  if (!yes && (terminal.json || !terminal.interactive)) {
    fail(terminal, notAsked);
    return 2;
  }
  const deleted = yes || (await mayDelete(terminal, state.value.title));
  const removed = deleted ? app.log.remove(id) : ok(null);
  if (!removed.ok) return fail(terminal, removed.error);
  const erased = await app.eraseDeleted();
  const left = erased.ok ? erased.value : erased.error.message;
  if (left !== null)
    terminal.log(`Parts of it are not erased yet: ${left}. Patina tries again at the next start.`);
  print(terminal, { id, deleted }, () => (deleted ? 'Deleted.' : 'Nothing was deleted.'));
  return 0;
}

/**
 * `md` and `html` are for people and contain the path to the head or to `turn`; `json` contains every turn and event.
 * With `--json` the document is JSON either way.
 */
export function sessionExportCommand(
  app: Pick<App, 'log'>,
  terminal: Terminal,
  id: string,
  { format, turn }: { readonly format: ExportFormat; readonly turn?: number },
): ExitCode {
  const stored = app.log.peek(id);
  if (!stored.ok) return fail(terminal, stored.error);
  if (turn !== undefined && !turnAt(stored.value, turn)) return fail(terminal, noSuchTurn(turn));
  const events = app.log.events(id);
  if (!events.ok) return fail(terminal, events.error);
  const text = exportSession({ ...stored.value, head: turn ?? stored.value.head }, events.value, format);
  if (terminal.json && format !== 'json') print(terminal, { format, text }, () => '');
  else terminal.out(text);
  reportDamage(app, terminal, app.log.check(id));
  return 0;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function describeImport({ sessions, turns, present, skipped }: ImportReport, dryRun: boolean): string {
  const brought = `${counted(sessions, 'session')} with ${counted(turns, 'turn')}`;
  return [
    dryRun ? `The file would bring ${brought}.` : `Imported ${brought}.`,
    ...(present > 0
      ? [`${counted(present, 'session')} of it ${present === 1 ? 'is' : 'are'} here already.`]
      : []),
    ...(skipped.length > 0
      ? [`Left out: ${skipped.map(({ what, count }) => `${what} (${count})`).join(', ')}.`]
      : []),
  ].join('\n');
}

/** `patina session import FILE`: stores the conversations of a file as sessions; with `--dry-run`, only counts them. */
export async function sessionImportCommand(
  app: Pick<App, 'importer'>,
  terminal: Terminal,
  file: string,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<ExitCode> {
  const path = pathArgument('The file', file);
  if (!path.ok) return fail(terminal, path.error);
  const report = await (dryRun ? app.importer.preview(path.value) : app.importer.run(path.value));
  if (!report.ok) return fail(terminal, report.error);
  print(terminal, report.value, () => describeImport(report.value, dryRun));
  return 0;
}
