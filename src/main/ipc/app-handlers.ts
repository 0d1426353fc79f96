import type { HelpPage } from '#shared/help-page';
import type { IpcHandlers } from '#shared/ipc';
import type { DiagramAnswer } from '#shared/ipc-pictures';
import { ok, type Result } from '#shared/result';
import type { App } from '../app';

/** A drawn diagram, or why there is none. */
export type DrawnDiagram = { readonly png: string } | Exclude<DiagramAnswer, { readonly drawn: unknown }>;

/** Functions that only the desktop has; the Electron entry point provides them. */
export interface Desktop {
  readonly chooseFolder: () => Promise<string | null>;
  /** Chooses a file of server configurations to read. */
  readonly chooseFile: () => Promise<string | null>;
  /** Chooses a file of conversations to import. */
  readonly chooseChats: () => Promise<string | null>;
  /** Chooses the file of a model to import. */
  readonly chooseModelFile: () => Promise<string | null>;
  /** Chooses a backup to restore. */
  readonly chooseBackup: () => Promise<string | null>;
  /** Chooses the folder of a pack to install. */
  readonly choosePack: () => Promise<string | null>;
  /** Chooses where to save a backup. */
  readonly placeBackup: () => Promise<string | null>;
  /** Writes text or bytes to a file that the user chooses; its path, or null when the user cancels. */
  readonly saveFile: (name: string, content: string | Uint8Array) => Promise<Result<string | null>>;
  readonly openLink: (url: string) => Promise<boolean>;
  /** Opens a page whose host the user has seen and agreed to. */
  readonly openPage: (url: string) => Promise<void>;
  /** Confirms the permanent deletion of the session with this title. */
  readonly confirmDelete: (title: string) => Promise<boolean>;
  /** The pages of the user guide. */
  readonly helpPages: () => Result<readonly HelpPage[]>;
  /** Draws a mermaid diagram as a PNG in base64 text. */
  readonly drawDiagram: (source: string, dark: boolean) => Promise<DrawnDiagram>;
  /** Loads a picture from the host that the user saw. */
  readonly loadPicture: (url: string) => Promise<Result<Uint8Array>>;
  readonly writeClipboard: (text: string) => void;
  readonly quit: () => void;
  readonly restart: (withoutPacks: readonly string[]) => void;
}

/** The desktop's own handlers, which work even when the rest of Patina could not start. */
export function createDesktopHandlers(desktop: Desktop) {
  return {
    'help-pages': () => desktop.helpPages(),
    'clipboard-write': ({ text }) => {
      desktop.writeClipboard(text);
      return ok(null);
    },
    'app-quit': () => {
      desktop.quit();
      return ok(null);
    },
    'app-restart': ({ withoutPacks }) => {
      desktop.restart(withoutPacks);
      return ok(null);
    },
  } satisfies Partial<IpcHandlers>;
}

/** Handlers of the app itself: settings, notices, folders, links. */
export function createAppHandlers(
  app: Pick<App, 'checkProject' | 'info' | 'notices' | 'settings'>,
  desktop: Desktop,
) {
  return {
    'app-info': () => ok(app.info()),
    'settings-get': () => ok(app.settings.get()),
    'settings-set': (patch) => app.settings.patch(patch),
    'project-choose': async () => {
      const chosen = await desktop.chooseFolder();
      if (chosen === null) return ok(null);
      const folder = app.checkProject(chosen);
      if (!folder.ok) return folder;
      const saved = app.settings.patch({ project: folder.value });
      return saved.ok ? folder : saved;
    },
    'link-open': async ({ url }) => ok({ opened: await desktop.openLink(url) }),
    ...createDesktopHandlers(desktop),
    'notice-dismiss': ({ id }) => {
      app.notices.dismiss(id);
      return ok(null);
    },
  } satisfies Partial<IpcHandlers>;
}
