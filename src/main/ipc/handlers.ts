import type { IpcHandlers } from '#shared/ipc';
import type { App } from '../app';
import { createAppHandlers, type Desktop } from './app-handlers';
import { createArtifactHandlers } from './artifact-handlers';
import { createAuthoringHandlers } from './authoring-handlers';
import { createControlHandlers } from './control-handlers';
import { createElicitationHandlers } from './elicitation-handlers';
import { createModelHandlers } from './model-handlers';
import { createServerHandlers } from './server-handlers';
import { createRecipeHandlers } from './recipe-handlers';
import { createRunHandlers } from './run-handlers';
import { createSessionHandlers } from './session-handlers';
import { createWorkflowHandlers } from './workflow-handlers';
import { createWorkspaceHandlers } from './workspace-handlers';

/** Everything the window can ask for; a call without a handler does not compile. */
export function createHandlers(app: App, desktop: Desktop): IpcHandlers {
  return {
    ...createAppHandlers(app, desktop),
    ...createArtifactHandlers(app, desktop.saveFile),
    ...createAuthoringHandlers(app.authoring.panel),
    ...createControlHandlers(app),
    ...createElicitationHandlers(app),
    ...createModelHandlers(app),
    ...createServerHandlers(app, desktop.chooseFile),
    ...createRecipeHandlers(app),
    ...createRunHandlers(app),
    ...createSessionHandlers(app, desktop.confirmDelete),
    ...createWorkflowHandlers(app),
    ...createWorkspaceHandlers(app, desktop.chooseFolder),
  };
}
