import type { ChosenChats } from '#shared/ipc-data';
import type { Result } from '#shared/result';
import type { ExportFormat, ImportReport } from '#shared/session-file';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';

/** Commands that move the user's data in and out; main asks for every file. */
export interface DataCommands {
  /** Saves the session on the screen to a file that the user chooses. */
  readonly exportSession: (format: ExportFormat) => Promise<void>;
  readonly chooseChats: () => Promise<Result<ChosenChats | null>>;
  readonly importChats: () => Promise<Result<ImportReport>>;
  readonly saveBackup: () => Promise<Result<string | null>>;
  readonly restoreBackup: () => Promise<Result<string | null>>;
}

export function createDataCommands({ bridge, view }: CommandDeps): DataCommands {
  return {
    exportSession: async (format) => {
      const { sessionId } = view.store.getState();
      if (sessionId === null) return;
      const saved = await bridge.invoke('session-export', { sessionId, format });
      if (!saved.ok) return view.fail(text('store.failed.export'), saved.error);
      if (saved.value !== null) view.toast(text('store.exported', { file: saved.value }));
    },
    chooseChats: () => bridge.invoke('chats-choose', undefined),
    importChats: () => bridge.invoke('chats-import', undefined),
    saveBackup: () => bridge.invoke('backup-save', undefined),
    restoreBackup: () => bridge.invoke('backup-restore', undefined),
  };
}
