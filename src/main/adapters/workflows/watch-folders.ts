import { existsSync, watch, type FSWatcher } from 'node:fs';

/**
 * Notifies listeners of any change in some folders; where watching is impossible, only of changes made by
 * this process.
 */
export function watchFolders(folders: readonly string[]) {
  const listeners = new Set<() => void>();
  const watchers = new Map<string, FSWatcher>();
  const notify = (): void => listeners.forEach((listener) => listener());
  const begin = (folder: string): void => {
    if (watchers.has(folder) || !existsSync(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, notify);
      watchers.set(
        folder,
        watcher.on('error', () => watcher.close()),
      );
    } catch {
      // Some file systems cannot be watched; changes made by this process are still reported.
    }
  };
  const end = (): void => {
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
  return {
    changed: () => {
      if (listeners.size > 0) folders.forEach(begin);
      notify();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      folders.forEach(begin);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) end();
      };
    },
  };
}
