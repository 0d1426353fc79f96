import type { Bridge } from '#shared/ipc';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { takeItemsOfOtherWindows } from './store/draft-items';
import { createDrafts } from './store/drafts';
import { readPage } from './store/read-page';
import { saveForReload, takeReloadState } from './store/reload-state';
import { createSessionMirror } from './store/session-mirror';
import { createCommands, startWindow, type WindowApp } from './store/start-window';
import { typedBridge } from './store/typed-bridge';
import { createView } from './store/view-state';
import { language } from './locales/text';
import { preloadLazyParts } from './ui/lazy-part';
import './styles/base.css';

declare global {
  interface Window {
    readonly patina: Bridge;
  }
}

/** A hidden window draws no frames; a timer processes pushes instead, more slowly. */
const hiddenFrameMs = 100;
const draftPauseMs = 300;

function onFrame(callback: () => void): void {
  let called = false;
  const once = () => {
    if (called) return;
    called = true;
    callback();
  };
  requestAnimationFrame(once);
  setTimeout(once, hiddenFrameMs);
}

function afterPause(ms: number): (callback: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (callback) => {
    clearTimeout(timer);
    timer = setTimeout(callback, ms);
  };
}

/**
 * Fonts that the first paint does not need; loading them early avoids a delay at the first code or emphasis
 * of a reply.
 */
const deferredFonts = ['1em "JetBrains Mono Variable"', 'italic 1em "Inter Variable"'];

async function loadWhenIdle(): Promise<void> {
  await preloadLazyParts();
  for (const font of deferredFonts) await document.fonts.load(font);
  const { warmMarkdown } = await import('./ui/markdown/markdown-warm');
  warmMarkdown();
}

function openWindow(root: Element, bridge: Bridge): void {
  const mirror = createSessionMirror({ bridge, onFrame });
  const drafts = createDrafts({ storage: window.localStorage, defer: afterPause(draftPauseMs) });
  const view = createView(new URLSearchParams(window.location.search).get('session'));
  const commands = createCommands({ bridge, mirror, view, drafts });
  const app: WindowApp = { mirror, view, drafts, commands };
  window.addEventListener('storage', ({ key }) => {
    drafts.forget(key);
    takeItemsOfOtherWindows(app);
  });
  window.addEventListener('pagehide', () => {
    drafts.flush();
    saveForReload(window.sessionStorage, view.store.getState(), readPage(document));
  });
  createRoot(root).render(<App app={app} />);
  void startWindow(app, bridge, takeReloadState(window.sessionStorage)).finally(() =>
    requestIdleCallback(() => void loadWhenIdle()),
  );
}

document.documentElement.lang = language;
const root = document.getElementById('root');
if (root) openWindow(root, typedBridge(window.patina));
