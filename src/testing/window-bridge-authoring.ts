import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createAuthoringHandlers } from '../main/ipc/handlers';
import type { AuthoringPanel } from '../core/workflows/authoring/authoring-panel';

const nothing = () => Promise.resolve({ ok: false as const, errors: [] });

/** No workflows at all, for windows that are about something else. */
const emptyPanel: AuthoringPanel = {
  list: () => ok({ rows: [], removed: [], problems: [] }),
  view: (workflowId) => err(appError('HOST', 'NOT_FOUND', `Unknown workflow ‘${workflowId}’.`)),
  names: () => Promise.resolve(ok({ tools: [], workflows: [], modes: [] })),
  call: nothing,
  save: () => Promise.resolve(ok({ kind: 'changed-meanwhile' })),
  publish: nothing,
  discard: nothing,
  remove: nothing,
  dryRun: () => ok([]),
};

/** Writing workflows: the operations themselves, over whatever store a test gives them. */
export const authoringHandlers = (panel: AuthoringPanel = emptyPanel) => createAuthoringHandlers(panel);
