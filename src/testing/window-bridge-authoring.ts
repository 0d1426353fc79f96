import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createAuthoringHandlers } from '../main/ipc/handlers';
import type { AuthoringPanel } from '../core/workflows/authoring/authoring-panel';

const nothing = () => Promise.resolve({ ok: false as const, errors: [] });

/** No workflows, for window tests about other features. */
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

/** The real authoring operations over a store from the test. */
export const authoringHandlers = (panel: AuthoringPanel = emptyPanel) => createAuthoringHandlers(panel);
