import type { IpcHandlers } from '#shared/ipc';
import type { App } from '../app';
import { createAppHandlers, type Desktop } from './app-handlers';
import { createArtifactHandlers } from './artifact-handlers';
import { createDataHandlers } from './data-handlers';
import { createControlHandlers } from './control-handlers';
import { createInstructionHandlers } from './instruction-handlers';
import { createItemHandlers } from './item-handlers';
import { createLocalModelHandlers } from './local-model-handlers';
import { createPictureHandlers } from './picture-handlers';
import { createServerHandlers } from './server-handlers';
import { createSessionHandlers } from './session-handlers';
import { createWindowHandlers, type ShowSession } from './window-handlers';
import { createWorkflowHandlers } from './workflow-handlers';
import { createWorkspaceHandlers } from './workspace-handlers';
import type { AuthoringPanel } from '../../core/workflows/authoring/authoring-panel';
import { ok } from '#shared/result';

/** Every request of the window; a call without a handler does not compile. */
export function createHandlers(app: App, desktop: Desktop, windows: ShowSession): IpcHandlers {
  return {
    ...createAppHandlers(app, desktop),
    ...createArtifactHandlers(app, desktop.saveFile),
    ...createAuthoringHandlers(app.authoring.panel),
    ...createControlHandlers(app),
    ...createDataHandlers(app, desktop),
    ...createElicitationHandlers(app),
    ...createInstructionHandlers(app),
    ...createItemHandlers(app),
    ...createLocalModelHandlers(app, desktop),
    ...createModelHandlers(app),
    ...createPictureHandlers(desktop),
    ...createServerHandlers(app, desktop.chooseFile, desktop.openPage),
    ...createRecipeHandlers(app),
    ...createRunHandlers(app),
    ...createSessionHandlers(app, desktop.confirmDelete),
    ...createWindowHandlers(app, windows),
    ...createWorkflowHandlers(app),
    ...createWorkspaceHandlers(app, desktop.chooseFolder),
  };
}

/** The window's requests to workflow authoring; a refused operation is an answer, not a failure. */
export function createAuthoringHandlers(panel: AuthoringPanel) {
  return {
    'authoring-list': () => panel.list(),
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
    'authoring-publish': async ({ workflowId, shown, reason }) =>
      ok(await panel.publish(workflowId, shown, reason)),
    'authoring-discard': async (ending) => ok(await panel.discard(ending)),
    'authoring-remove': async (ending) => ok(await panel.remove(ending)),
    'authoring-dry-run': (request) => panel.dryRun(request),
  } satisfies Partial<IpcHandlers>;
}

/** The window's answers to the servers' questions. */
function createElicitationHandlers({ elicitations }: Pick<App, 'elicitations'>) {
  return {
    'elicitation-list': () => ok(elicitations.open()),
    'elicitation-answer': ({ id, answer }) => elicitations.answer(id, answer),
  } satisfies Partial<IpcHandlers>;
}

/** Models, providers and prompt previews. */
function createModelHandlers(app: Pick<App, 'models' | 'providers' | 'previewPrompt' | 'usage'>) {
  const { models, providers } = app;
  return {
    'model-list': async ({ refresh }) => ok(await models.listModels(refresh)),
    'usage-report': (question) => app.usage.report(question),
    'provider-save': (input) => providers.save(input),
    'provider-offers': async () => ok(await providers.offers()),
    'provider-editable': () => providers.editable(),
    'provider-edit': (input) => providers.edit(input),
    'provider-remove': ({ id }) => providers.remove(id),
    'provider-test': async ({ baseUrl, key, id, wire, headers, organization, proxy, keyVariable }) => {
      const found = await models.probe({
        baseUrl,
        ...(headers && { headers }),
        ...(organization !== undefined && { organization }),
        ...(key && { key }),
        ...(id && { id }),
        ...(wire && { wire }),
        ...(proxy !== undefined && { proxy }),
        ...(keyVariable && { keyVariable }),
      });
      return found.ok ? ok({ models: found.value }) : found;
    },
    'prompt-preview': ({ sessionId, runMode }) =>
      app.previewPrompt({ sessionId: sessionId ?? null, runMode }),
  } satisfies Partial<IpcHandlers>;
}

/** Recipes, and the runs that become recipes. */
function createRecipeHandlers({ recipes, recipeSaver }: Pick<App, 'recipes' | 'recipeSaver'>) {
  return {
    'recipe-list': () => ok(recipes()),
    'recipe-draft': recipeSaver.draft,
    'recipe-save': recipeSaver.save,
  } satisfies Partial<IpcHandlers>;
}

/** The window's control of a run. */
function createRunHandlers({
  runs,
  undo,
  grants,
  pins,
  editApproval,
}: Pick<App, 'runs' | 'undo' | 'grants' | 'pins' | 'editApproval'>) {
  return {
    'approval-answer': ({ answers, grant, ...place }) => runs.answer(place, answers, grant),
    'grant-list': () => grants.list(),
    'tool-change': ({ uri }) => {
      const changes = pins.changes();
      return changes.ok ? ok(changes.value.find((change) => change.uri === uri) ?? null) : changes;
    },
    'tool-accept': ({ uri, hash }) => {
      const accepted = pins.accept(uri, hash);
      return accepted.ok ? ok(null) : accepted;
    },
    'tool-keep-blocked': ({ uri, hash }) => pins.block(uri, hash),
    'grant-revoke': ({ id }) => grants.revoke([id]),
    'approval-edit': ({ edit }) => editApproval(edit),
    'plan-review': ({ decision, ...place }) => runs.review(place, decision),
    'plan-check': ({ edit, ...place }) => runs.previewPlan(place, edit),
    'plan-reject': (place) => runs.rejectPlan(place),
    'run-pause': ({ paused, ...place }) => runs.pause(place, paused),
    'run-again': ({ sessionId, turn, from }) =>
      runs.rerun({ sessionId, turn, ...(from !== undefined && { from }) }),
    'run-undo': (request) => undo.undo(request),
    'run-diff': (place) => undo.diff(place),
    'write-settle': ({ callId, happened, ...place }) => runs.confirmOutcome(place, callId, happened),
  } satisfies Partial<IpcHandlers>;
}
