import type { SnapshotDiff, WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import type { ControlEndpointOwner } from '#shared/control-message';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

const short = (hash: string | null | undefined): string => hash?.slice(0, 12) ?? '(built in)';

function diffText({ files, catalogs }: SnapshotDiff): string {
  const signs = { same: ' ', added: '+', removed: '-' };
  const body = files.flatMap(({ path, change, hunks }) => [
    `${change} ${path}`,
    ...hunks.flatMap((hunk) => [
      `@@ -${hunk.oldStart} +${hunk.newStart} @@`,
      ...hunk.lines.map(({ kind, text }) => `${signs[kind]}${text}`),
    ]),
  ]);
  const tools = catalogs.flatMap(({ id, added, removed, changed }) => [
    `tool set ${id}`,
    ...added.map((tool) => `+ ${tool}`),
    ...removed.map((tool) => `- ${tool}`),
    ...changed.map((tool) => `~ ${tool}`),
  ]);
  return [...body, ...tools].join('\n') || 'No differences.';
}

/** Which process ran the call; null: this one, on the stored data. */
function placeText(by: ControlEndpointOwner | null): string {
  return `carried out by ${by ? `${by.holder} (process ${by.pid})` : 'this command, on the stored state'}`;
}

function stateText({ state, contents, findings, folder }: WorkspaceView): string {
  const { binding, active, pending, waiting } = state;
  return [
    `workspace  ${binding.workspace} (${binding.version === 'latest' ? 'latest' : short(binding.version)})`,
    ...(folder === null ? [] : [`folder     ${folder}`]),
    `active     ${short(active ?? contents?.hash)}`,
    ...(contents
      ? [`           instructions ${contents.promptPack ?? 'none'}, tool set ${contents.toolCatalog}`]
      : []),
    ...(pending ? [`pending    ${short(pending.hash)}`] : []),
    ...(waiting ? [`waiting    ${short(waiting.hash)} (${waiting.when})`] : []),
    ...findings.map(
      ({ level, file, field, reason }) => `${level}: ${file}${field ? ` ${field}` : ''}: ${reason}`,
    ),
  ].join('\n');
}

function historyText({ state, snapshots }: WorkspaceView): string {
  const applied = state.history.map(
    ({ hash, workspace, at, boundary }) =>
      `${new Date(at).toISOString()}  ${short(hash)}  ${workspace}  ${boundary}`,
  );
  const stored = snapshots.map(({ hash, bytes }) => `stored ${short(hash)}  ${bytes} bytes`);
  return [...applied, ...stored].join('\n');
}

function removedText(removed: readonly string[], dryRun: boolean): string {
  const count = `${removed.length} version${removed.length === 1 ? '' : 's'}`;
  return [`${count} ${dryRun ? 'would be removed' : 'removed'}.`, ...removed.map(short)].join('\n');
}

function textOf(call: WorkspaceCall, view: WorkspaceView): string {
  if (view.diff) return diffText(view.diff);
  if (call.op === 'gc' && view.removed) return removedText(view.removed, call.dryRun === true);
  return call.op === 'history' ? historyText(view) : stateText(view);
}

/**
 * `patina workspace …`: runs a call and prints the resulting workspace; a refusal is the typed error. If a
 * running app is the writer of the affected data, that app runs the call; otherwise this process does.
 */
export async function workspaceCommand(
  app: Pick<App, 'workspace' | 'controlSocket' | 'project'>,
  terminal: Terminal,
  call: WorkspaceCall,
): Promise<ExitCode> {
  const placed = call.sessionId === undefined ? { ...call, project: app.project() } : call;
  const answered = await app.controlSocket.ask(placed);
  const answer = answered?.result ?? (await app.workspace.call(placed));
  const carriedOutBy = answered?.by ?? null;
  if (!answer.ok) {
    if (carriedOutBy) terminal.log(placeText(carriedOutBy));
    return fail(terminal, answer.error);
  }
  const { value } = answer;
  print(terminal, { ...value, carriedOutBy }, () => `${textOf(call, value)}\n${placeText(carriedOutBy)}`);
  return 0;
}
