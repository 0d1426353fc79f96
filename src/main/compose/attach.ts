import { appError } from '#shared/app-error';
import { exportMarkdown } from '#shared/export-markdown';
import { isObject } from '#shared/json';
import { err, ok } from '#shared/result';
import type { SessionLog } from '../../core/session/session-log';
import type { AttachDeps } from '../../core/sources/attach';
import type { AgentRuntime } from '../app';
import { listProjectFiles } from '../adapters/sources/list-project-files';

const patchBytes = 900_000;
const patchMs = 20_000;

/** The changes of a project, read by the bundled server's tool through the gate like any other call. */
export function patchOf(load: () => Promise<Pick<AgentRuntime, 'callServerTool'>>): AttachDeps['diff'] {
  return async (project, staged) => {
    const { callServerTool } = await load();
    const args = { staged, maxBytes: patchBytes };
    const call = { uri: 'mcp://project.git_diff', args, approve: 'none' as const, project };
    const answer = await callServerTool(call, AbortSignal.timeout(patchMs));
    if (!answer.ok) return answer;
    const patch = isObject(answer.value) ? answer.value['patch'] : undefined;
    if (typeof patch === 'string') return ok(patch);
    return err(appError('TOOL', 'INVALID_OUTPUT', 'The changes of this folder cannot be read.'));
  };
}

const listMs = 10_000;

/** The files below a folder; none when it cannot be read in time. */
export async function listQuickly(folder: string): Promise<readonly string[]> {
  const listed = await listProjectFiles(folder, AbortSignal.timeout(listMs));
  return listed.ok ? listed.value.paths : [];
}

/** A session as the text of its active path. */
export function sessionTextOf({ peek }: Pick<SessionLog, 'peek'>): AttachDeps['session'] {
  return (id) => {
    const state = peek(id);
    if (!state.ok) return state;
    const title = state.value.title === '' ? 'untitled session' : state.value.title;
    return ok({ title, text: exportMarkdown(state.value) });
  };
}
