import { translateView } from '#shared/row-names';
import type { PickerPage } from '#shared/control-plane';
import type { Bridge } from '#shared/ipc';
import type { Result } from '#shared/result';
import type { ChoiceOutcome } from '#shared/window-action';
import { rowNames, text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import type { ControlPlaneCommands, PageRequest } from './commands';
import type { View } from './view-state';

type OpenSession = (sessionId: string) => Promise<void>;

type InSession = <T>(
  failed: string,
  ask: (sessionId: string) => Promise<Result<T>>,
) => Promise<T | undefined>;

/** Runs an action in the session on the screen and reports a failure to the user. */
async function askInSession<T>(
  view: View,
  failed: string,
  ask: (sessionId: string) => Promise<Result<T>>,
): Promise<T | undefined> {
  const { sessionId } = view.store.getState();
  if (sessionId === null) return undefined;
  const answer = await ask(sessionId);
  if (answer.ok) return answer.value;
  view.fail(failed, answer.error);
  return undefined;
}

/**
 * Fetches list pages. A page can be requested before its list renders; the next request for the same page
 * uses that answer.
 */
function createPageCommands(
  bridge: Bridge,
  named: () => { readonly sessionId?: string },
): Pick<ControlPlaneCommands, 'pickerPage' | 'prefetchPage'> {
  const ask = (request: PageRequest) => bridge.invoke('picker-page', { ...named(), ...request });
  const keyOf = (request: PageRequest) => JSON.stringify([named(), request]);
  let ahead: { readonly key: string; readonly page: Promise<Result<PickerPage>> } | undefined;
  return {
    pickerPage: (request) => {
      const early = ahead?.key === keyOf(request) ? ahead.page : undefined;
      ahead = undefined;
      return early ?? ask(request);
    },
    prefetchPage: (request) => {
      ahead = { key: keyOf(request), page: ask(request) };
    },
  };
}

/** Sends a choice from a picker or question card, then opens the session in which the work continues. */
function createChoiceCommands(
  { bridge, view }: Pick<CommandDeps, 'bridge' | 'view'>,
  openSession: OpenSession,
): Pick<ControlPlaneCommands, 'choosePicked' | 'closePicker' | 'answerQuestion'> {
  const inSession: InSession = (failed, ask) => askInSession(view, failed, ask);
  const show = async (outcome: ChoiceOutcome | undefined): Promise<void> => {
    if (typeof outcome?.opened === 'string') await openSession(outcome.opened);
    view.focusComposer();
    if (outcome?.windowAction) view.set({ requested: outcome.windowAction });
  };
  return {
    choosePicked: async (turn, id) => {
      const chosen = await inSession(text('store.failed.choice'), (sessionId) =>
        bridge.invoke('picker-choose', { sessionId, turn, id }),
      );
      await show(chosen);
    },
    closePicker: async (turn, then) => {
      await inSession(text('store.failed.closeList'), (sessionId) =>
        bridge.invoke('picker-close', { sessionId, turn, then }),
      );
      view.focusComposer();
    },
    answerQuestion: async (turn, questionId, option) => {
      const answered = await inSession(text('store.failed.answer'), (sessionId) =>
        bridge.invoke('question-answer', { sessionId, turn, questionId, option }),
      );
      await show(answered);
    },
  };
}

/** Commands for pickers, questions, traces and documents. Changes go to main and come back as events. */
export function createControlPlaneCommands(
  { bridge, view, mirror }: CommandDeps,
  openSession: OpenSession,
): ControlPlaneCommands {
  const named = () => {
    const { sessionId } = view.store.getState();
    return sessionId === null ? {} : { sessionId };
  };

  return {
    ...createPageCommands(bridge, named),
    ...createChoiceCommands({ bridge, view }, openSession),
    previewRoute: (line) => bridge.invoke('route-preview', { ...named(), text: line }),
    actOnWorkflow: async (act) => {
      const { sessionId } = view.store.getState();
      if (sessionId === null) return null;
      const answer = await bridge.invoke('workflow-act', { sessionId, act });
      if (answer.ok) return null;
      // The form shows an error in an answer below the field.
      if (act.type !== 'give-inputs') view.fail(text('store.failed.workflow'), answer.error);
      return answer.error;
    },
    reloadWorkflows: async () => {
      const done = await askInSession(view, text('store.failed.reloadWorkflows'), (sessionId) =>
        bridge.invoke('workflow-act', { sessionId, act: { type: 'reload' } }),
      );
      if (done === null) view.toast(text('store.workflowsReloaded'));
    },
    callDdrs: (operation, payload) => bridge.invoke('ddr-call', { operation, payload }),
    inspect: (turn, tab) => {
      view.set({ inspected: { turn, tab } });
      const { inspectorOpen } = mirror.store.getState().settings;
      if (!inspectorOpen) {
        mirror.store.setState(({ settings }) => ({ settings: { ...settings, inspectorOpen: true } }));
        void bridge.invoke('settings-set', { inspectorOpen: true });
      }
    },
    readControlPlane: async () => {
      const sessionId = view.store.getState().sessionId;
      const answer = await bridge.invoke('control-plane', named());
      // If another session is on the screen by now, it sends its own request.
      if (view.store.getState().sessionId !== sessionId) return;
      mirror.store.setState(
        answer.ok
          ? { controlPlane: translateView(answer.value, rowNames), controlPlaneProblem: null }
          : { controlPlaneProblem: answer.error },
      );
    },
  };
}
