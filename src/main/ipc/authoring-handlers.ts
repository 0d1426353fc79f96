import type { IpcHandlers } from '#shared/ipc';
import type { workflowCalls } from '#shared/ipc-workflows';
import { ok } from '#shared/result';
import type { AuthoringPanel } from '../../core/workflows/authoring/authoring-panel';

/** Writing workflows, as the window's panel asks for it; what the operations refuse is an answer, not a failure. */
export function createAuthoringHandlers(
  panel: AuthoringPanel,
): Pick<IpcHandlers, keyof typeof workflowCalls> {
  return {
    'authoring-list': () => panel.shelf(),
    'authoring-view': ({ workflowId }) => panel.view(workflowId),
    'authoring-names': () => panel.names(),
    'authoring-call': async ({ title, description, ...call }) =>
      ok(
        await panel.call({
          ...call,
          ...(title !== undefined && { title }),
          ...(description !== undefined && { description }),
        }),
      ),
    'authoring-save': (edit) => panel.save(edit),
    'authoring-publish': async ({ workflowId, shown }) => ok(await panel.publish(workflowId, shown)),
    'authoring-discard': async (ending) => ok(await panel.discard(ending)),
    'authoring-remove': async (ending) => ok(await panel.remove(ending)),
    'authoring-dry-run': (asked) => panel.dryRun(asked),
  };
}
