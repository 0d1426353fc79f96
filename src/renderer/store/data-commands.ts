import type { ChosenChats } from '#shared/ipc-data';
import type { ChosenPack, PackList } from '#shared/pack';
import { err, type Result } from '#shared/result';
import type { ExportFormat, ImportReport } from '#shared/session-file';
import { text } from '../locales/text';
import { noSession, type CommandDeps } from './command-deps';

/** Commands that move the user's data in and out; main asks for every file. */
export interface DataCommands {
  /** Saves the session on the screen to a file that the user chooses; returns its path, null when cancelled. */
  readonly exportSession: (format: ExportFormat) => Promise<Result<string | null>>;
  /** Saves a text to a file that the user chooses, and says where it is. */
  readonly saveText: (name: string, content: string) => Promise<void>;
  readonly chooseChats: () => Promise<Result<ChosenChats | null>>;
  readonly importChats: () => Promise<Result<ImportReport>>;
  readonly listPacks: () => Promise<Result<PackList>>;
  /** Asks for the folder of a pack and reads it; null when the user cancels. */
  readonly choosePack: () => Promise<Result<ChosenPack | null>>;
  /** Installs the pack chosen last, for the next start. */
  readonly installPack: () => Promise<Result<null>>;
  readonly removePack: (id: string) => Promise<Result<null>>;
  readonly saveBackup: () => Promise<Result<string | null>>;
  readonly restoreBackup: () => Promise<Result<string | null>>;
}

export function createDataCommands({ bridge, view }: CommandDeps): DataCommands {
  return {
    exportSession: async (format) => {
      const { sessionId } = view.store.getState();
      return sessionId === null ? err(noSession()) : bridge.invoke('session-export', { sessionId, format });
    },
    saveText: async (name, content) => {
      const saved = await bridge.invoke('text-save', { name, content });
      if (!saved.ok) return view.fail(text('store.failed.saveText'), saved.error);
      if (saved.value !== null) view.toast(text('store.exported', { file: saved.value }));
    },
    chooseChats: () => bridge.invoke('chats-choose', undefined),
    importChats: async () => {
      const { dialog } = view.store.getState();
      const report = await bridge.invoke('chats-import', undefined);
      // A long import outlives the page of the settings that shows its result.
      if (view.store.getState().dialog !== dialog) {
        if (!report.ok) view.fail(text('store.failed.importChats'), report.error);
        else {
          const { sessions, turns } = report.value;
          view.toast(text('settings.data.import.done', { sessions, turns }));
        }
      }
      return report;
    },
    listPacks: () => bridge.invoke('pack-list', undefined),
    choosePack: () => bridge.invoke('pack-choose', undefined),
    installPack: () => bridge.invoke('pack-install', undefined),
    removePack: (id) => bridge.invoke('pack-remove', { id }),
    saveBackup: () => bridge.invoke('backup-save', undefined),
    restoreBackup: () => bridge.invoke('backup-restore', undefined),
  };
}
