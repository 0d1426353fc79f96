import type { Language } from '#shared/language';
import type { RowNames } from '#shared/row-names';
import { germanRowNames } from '#shared/row-names-de';
import type { UserCall } from '../../../core/ports/user-call';

const en = {
  reasons: { 'needs-you': 'Needs you.', done: 'Done.', failed: 'Failed.' } satisfies Record<
    UserCall['reason'],
    string
  >,
  approve: 'Approve',
  deny: 'Deny',
  cancel: 'Cancel',
  remove: {
    question: (title: string) => `Delete “${title || 'New session'}” permanently?`,
    detail:
      'This removes its messages, runs and saved permissions from this computer and cannot be undone. Files and artifacts in project folders are kept.',
    delete: 'Delete',
    cancel: 'Keep it',
  },
  folder: { title: 'Choose a project folder', button: 'Use this folder' },
  servers: { title: 'Choose a file with MCP servers', button: 'Preview' },
  chats: { title: 'Choose conversations to import', button: 'Preview', files: 'Conversations' },
  model: { title: 'Choose a model to import', button: 'Import', files: 'GGUF models' },
  backup: { title: 'Choose a backup of Patina', button: 'Check this backup', files: 'Backups' },
  pack: { title: 'Choose the folder of a pack', button: 'Check this pack' },
  link: {
    question: (host: string) => `Open ${host} in your browser?`,
    looksLike: (name: string) => `The name is written to look like “${name}”.`,
    open: 'Open',
  },
  crashed: {
    message: 'The window stopped working twice within seconds.',
    detail:
      'Your messages are saved, and a run in progress continues. If it stops again, quit and restart Patina.',
    reload: 'Reload the window',
    quit: 'Quit Patina',
  },
  tray: { open: 'Open Patina', ask: 'Ask…' },
  fault: {
    message: 'Something in Patina itself failed.',
    detail:
      'Your messages are saved, and Patina continues. If something does not work as it should, quit and restart Patina.',
    close: 'Close',
  },
  menu: {
    groups: { Session: 'Session', Mode: 'Mode', View: 'View', Commands: 'Commands', Help: 'Help' },
    edit: 'Edit',
    window: 'Window',
    quit: 'Quit Patina',
    actualSize: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Toggle Full Screen',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select All',
    minimize: 'Minimise',
    close: 'Close',
  },
};

type NativeTexts = typeof en;

const de: NativeTexts = {
  reasons: { 'needs-you': 'Braucht Sie.', done: 'Fertig.', failed: 'Fehlgeschlagen.' },
  approve: 'Freigeben',
  deny: 'Ablehnen',
  cancel: 'Abbrechen',
  remove: {
    question: (title) => `„${title || 'Neue Sitzung'}“ endgültig löschen?`,
    detail:
      'Das entfernt ihre Nachrichten, Läufe und gespeicherten Erlaubnisse von diesem Computer und lässt sich nicht rückgängig machen. Dateien und Artefakte in Projektordnern bleiben erhalten.',
    delete: 'Löschen',
    cancel: 'Behalten',
  },
  folder: { title: 'Projektordner auswählen', button: 'Diesen Ordner verwenden' },
  servers: { title: 'Datei mit MCP-Servern auswählen', button: 'Vorschau' },
  chats: { title: 'Gespräche zum Importieren auswählen', button: 'Vorschau', files: 'Gespräche' },
  model: { title: 'Modell zum Importieren auswählen', button: 'Importieren', files: 'GGUF-Modelle' },
  backup: {
    title: 'Sicherung von Patina auswählen',
    button: 'Diese Sicherung prüfen',
    files: 'Sicherungen',
  },
  pack: { title: 'Ordner eines Packs auswählen', button: 'Dieses Pack prüfen' },
  link: {
    question: (host) => `${host} im Browser öffnen?`,
    looksLike: (name) => `Der Name ist so geschrieben, dass er wie „${name}“ aussieht.`,
    open: 'Öffnen',
  },
  crashed: {
    message: 'Das Fenster ist innerhalb von Sekunden zweimal ausgefallen.',
    detail:
      'Ihre Nachrichten sind gespeichert, und ein begonnener Lauf geht weiter. Wenn es wieder geschieht, beenden Sie Patina, und starten Sie es neu.',
    reload: 'Fenster neu laden',
    quit: 'Patina beenden',
  },
  tray: { open: 'Patina öffnen', ask: 'Fragen…' },
  fault: {
    message: 'In Patina selbst ist ein Fehler aufgetreten.',
    detail:
      'Ihre Nachrichten sind gespeichert, und Patina läuft weiter. Wenn etwas nicht so arbeitet, wie es soll, beenden Sie Patina, und starten Sie es neu.',
    close: 'Schließen',
  },
  menu: {
    groups: { Session: 'Sitzung', Mode: 'Modus', View: 'Ansicht', Commands: 'Befehle', Help: 'Hilfe' },
    edit: 'Bearbeiten',
    window: 'Fenster',
    quit: 'Patina beenden',
    actualSize: 'Originalgröße',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    fullScreen: 'Vollbild',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    cut: 'Ausschneiden',
    copy: 'Kopieren',
    paste: 'Einfügen',
    selectAll: 'Alles auswählen',
    minimize: 'Minimieren',
    close: 'Schließen',
  },
};

const catalogues: Readonly<Record<Language, NativeTexts>> = { en, de };
let chosen: Language = 'en';

/** Sets the language of everything that main itself shows: menus, dialogs and notifications. */
export function setNativeLanguage(language: Language): void {
  chosen = language;
}

/** The texts of main, in the language of the window. */
export const nativeTexts = (): NativeTexts => catalogues[chosen];

/** The names of built-in rows in that language; null: the rows' own. */
export const nativeRowNames = (): RowNames | null => (chosen === 'de' ? germanRowNames : null);
