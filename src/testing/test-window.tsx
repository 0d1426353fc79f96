import type { SessionFact } from '#shared/session-event';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { App } from '../renderer/app/app';
import { createDrafts } from '../renderer/store/drafts';
import { createSessionMirror } from '../renderer/store/session-mirror';
import { createCommands, startWindow } from '../renderer/store/start-window';
import { createView } from '../renderer/store/view-state';
import { preloadLazyParts } from '../renderer/ui/lazy-part';
import { createWindowBridge, type WindowBridgeOptions } from './window-bridge';

/** Without layout, lists render nothing: this is the simulated size of the view and of every row. */
const view = { width: 800, height: 600 };
const rowHeight = 48;

/** Immediately reports the sizes that a page with layout would measure. */
function measuring(callback: ResizeObserverCallback): ResizeObserver {
  const observer: ResizeObserver = {
    observe: (target) => {
      const whole = target.matches('[role=log], [role=listbox]');
      const contentRect = { ...view, height: whole ? view.height : rowHeight };
      const entry = { target, contentRect } as unknown as ResizeObserverEntry;
      // Never synchronously: the caller is still being set up.
      queueMicrotask(() => act(() => callback([entry], observer)));
    },
    unobserve: () => undefined,
    disconnect: () => undefined,
  };
  return observer;
}

/** Simulates layout, so that elements report sizes. */
export function pretendLayout(): void {
  // Without it, everything counts as hidden and is not measured.
  Object.defineProperty(HTMLElement.prototype, 'offsetParent', {
    configurable: true,
    get: () => document.body,
  });
  globalThis.ResizeObserver = function (callback: ResizeObserverCallback) {
    return measuring(callback);
  } as unknown as typeof ResizeObserver;
}

/** Opens the whole window over a double of main, with sessions already recorded; the first one is open. */
export async function openTestWindow(
  sessions: Readonly<Record<string, readonly SessionFact[]>>,
  options: WindowBridgeOptions = {},
) {
  const [first] = Object.keys(sessions);
  const settings = { ...(first !== undefined && { lastSessionId: first }), ...options.settings };
  const main = createWindowBridge({ ...options, settings });
  for (const [id, facts] of Object.entries(sessions)) main.addSession(id, facts);
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  const shown = createView();
  const drafts = createDrafts({ storage: window.localStorage, defer: (callback) => callback() });
  const commands = createCommands({ bridge: main.bridge, mirror, view: shown, drafts });
  const app = { mirror, view: shown, drafts, commands };
  // As the window does after its first render, so that no test waits for a file.
  await preloadLazyParts();
  render(<App app={app} />);
  await act(async () => void (await startWindow(app, main.bridge)));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  return {
    main,
    app,
    field,
    type: (text: string) => fireEvent.input(field, { target: { value: text } }),
    press: (key: string) => act(async () => void fireEvent.keyDown(field, { key, bubbles: true })),
    /** The sent texts, oldest first. */
    lines: () =>
      main.calls.flatMap(({ name, input }) =>
        name === 'message-send' ? [(input as { readonly text: string }).text] : [],
      ),
  };
}
