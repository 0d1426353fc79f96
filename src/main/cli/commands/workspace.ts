import type { SnapshotDiff, WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
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
    `catalog ${id}`,
    ...added.map((tool) => `+ ${tool}`),
    ...removed.map((tool) => `- ${tool}`),
    ...changed.map((tool) => `~ ${tool}`),
  ]);
  return [...body, ...tools].join('\n') || 'Nothing differs.';
}

function stateText({ state, contents, findings, folder }: WorkspaceView): string {
  const { binding, active, pending, waiting } = state;
  return [
    `workspace  ${binding.workspace} (${binding.version === 'latest' ? 'latest' : short(binding.version)})`,
    ...(folder === null ? [] : [`folder     ${folder}`]),
    `active     ${short(active ?? contents?.hash)}`,
    ...(contents
      ? [`           pack ${contents.promptPack ?? 'none'}, catalog ${contents.toolCatalog}`]
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

function textOf(call: WorkspaceCall, view: WorkspaceView): string {
  if (view.diff) return diffText(view.diff);
  if (view.removed) return `${view.removed.length} snapshots removed.`;
  return call.op === 'history' ? historyText(view) : stateText(view);
}

/** `patina workspace …`: carries out a call and gives the workspace after it; a refusal is the typed error. */
export async function workspaceCommand(
  app: Pick<App, 'workspace' | 'project'>,
  terminal: Terminal,
  call: WorkspaceCall,
): Promise<ExitCode> {
  const placed = call.sessionId === undefined ? { ...call, project: app.project() } : call;
  const answer = await app.workspace.call(placed);
  if (!answer.ok) return fail(terminal, answer.error);
  print(terminal, answer.value, () => textOf(call, answer.value));
  return 0;
}
