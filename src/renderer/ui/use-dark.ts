import { useSyncExternalStore } from 'react';

const system = () => window.matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const query = system();
  query.addEventListener('change', listener);
  return () => {
    chosen.disconnect();
    query.removeEventListener('change', listener);
  };
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? system().matches : theme === 'dark';
}

/** Whether the window is dark, by the user's choice or the system's. */
export const useDark = (): boolean => useSyncExternalStore(subscribe, isDark);
