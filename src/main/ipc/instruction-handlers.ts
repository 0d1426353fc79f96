import type { InstructionFilesView } from '#shared/instruction-files';
import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { App } from '../app';

/** The window's requests about the instructions that a project brings along. */
export function createInstructionHandlers(
  app: Pick<App, 'instructionFiles' | 'instructionSuggestions' | 'log' | 'project'>,
) {
  const { find, adopt, drop } = app.instructionFiles;
  type Change = (project: string) => Result<null> | Promise<Result<null>>;
  const decided = (changed: Result<null>): Result<null> => {
    if (changed.ok) app.instructionSuggestions.refresh();
    return changed;
  };
  /** The instructions of a session's project after a change; null without a project. */
  const after = async (
    sessionId: string | undefined,
    change: Change,
  ): Promise<Result<InstructionFilesView | null>> => {
    const state = sessionId === undefined ? null : app.log.peek(sessionId);
    if (state && !state.ok) return state;
    const project = state ? state.value.project : app.project();
    if (project === null) return ok(null);
    const changed = await change(project);
    return changed.ok ? ok(await find(project)) : changed;
  };
  return {
    'instruction-files': ({ sessionId }) => after(sessionId, () => ok(null)),
    'instruction-files-adopt': ({ sessionId, found }) =>
      after(sessionId, async (project) => decided(await adopt(project, found))),
    'instruction-files-drop': ({ sessionId }) => after(sessionId, (project) => decided(drop(project))),
  } satisfies Partial<IpcHandlers>;
}
