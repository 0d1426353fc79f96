import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import { err, ok } from '#shared/result';
import type { App } from '../app';
import { exportSession } from '../../core/session/session-document';
import type { Desktop } from './app-handlers';

const notChosen = appError('HOST', 'STATE', 'No file of conversations is chosen.', {
  hint: 'Choose the file again.',
});

const noPack = appError('HOST', 'STATE', 'No pack is chosen.', { hint: 'Choose its folder again.' });

const maxStemLength = 80;

/**
 * A title as the name of a file without its ending: one path segment that is not hidden, without the characters that
 * change the direction of text, after which the ending would seem to be another one.
 */
function fileStem(title: string): string {
  const visible = title.replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
  const segment = visible.replaceAll(/[/\\]/g, '_').replace(/^[\s.]+/, '');
  return [...segment].slice(0, maxStemLength).join('').trimEnd() || 'Session';
}

/** Export, import, packs, backup and restore. */
export function createDataHandlers(
  app: Pick<App, 'backup' | 'importer' | 'log' | 'packs'>,
  desktop: Pick<Desktop, 'chooseChats' | 'chooseBackup' | 'choosePack' | 'placeBackup' | 'saveFile'>,
) {
  /** The window never names a path: an import is of the file or folder that the user chose last. */
  const chosen: { file: string | null; pack: string | null } = { file: null, pack: null };
  return {
    'session-export': ({ sessionId, format }) => {
      const state = app.log.peek(sessionId);
      if (!state.ok) return state;
      const events = app.log.events(sessionId);
      if (!events.ok) return events;
      const name = `${fileStem(state.value.title)}.${format}`;
      return desktop.saveFile(name, exportSession(state.value, events.value, format));
    },
    'text-save': ({ name, content }) => desktop.saveFile(name, content),
    'chats-choose': async () => {
      const file = await desktop.chooseChats();
      if (file === null) return ok(null);
      const preview = await app.importer.preview(file);
      if (!preview.ok) return preview;
      chosen.file = file;
      return ok({ file, preview: preview.value });
    },
    'chats-import': async () => {
      if (chosen.file === null) return err(notChosen);
      const report = await app.importer.run(chosen.file);
      chosen.file = null;
      return report;
    },
    'pack-list': () => ok(app.packs.list()),
    'pack-choose': async () => {
      const folder = await desktop.choosePack();
      if (folder === null) return ok(null);
      const read = app.packs.read(folder);
      chosen.pack = read.ok ? folder : null;
      return read;
    },
    'pack-install': async () => {
      if (chosen.pack === null) return err(noPack);
      const folder = chosen.pack;
      chosen.pack = null;
      return app.packs.install({ folder });
    },
    'pack-remove': ({ id }) => app.packs.remove(id),
    'backup-save': async () => {
      const file = await desktop.placeBackup();
      if (file === null) return ok(null);
      const made = await app.backup.make(file);
      return made.ok ? ok(file) : made;
    },
    'backup-restore': async () => {
      const file = await desktop.chooseBackup();
      if (file === null) return ok(null);
      const prepared = await app.backup.prepareRestore(file);
      return prepared.ok ? ok(file) : prepared;
    },
  } satisfies Partial<IpcHandlers>;
}
