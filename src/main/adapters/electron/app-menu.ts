import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { languageOf } from '#shared/language';
import type { Settings } from '#shared/settings';
import { readChord } from '#shared/shortcut';
import type { MenuGroup, MenuRow } from '../../../core/ports/app-menu';
import { nativeTexts, setNativeLanguage } from './native-texts';

const keyNames: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
};

/**
 * Converts a shortcut to Electron's format. Leaves a shortcut without a modifier to the window: a menu would
 * take it from text fields.
 */
function acceleratorOf(shortcut: string | undefined): string | undefined {
  const chord = shortcut === undefined ? null : readChord(shortcut);
  if (!chord || (!chord.mod && !chord.alt)) return undefined;
  const modifiers = [chord.mod && 'CommandOrControl', chord.alt && 'Alt', chord.shift && 'Shift'];
  return [...modifiers, keyNames[chord.key] ?? chord.key].filter(Boolean).join('+');
}

/** The window handles the keys; the menu only displays them, so that no key press counts twice. */
function itemOf(
  { id, label, shortcut }: MenuRow,
  onChosen: (id: string) => void,
): MenuItemConstructorOptions {
  const accelerator = acceleratorOf(shortcut);
  return {
    id,
    label,
    click: () => onChosen(id),
    ...(accelerator !== undefined && { accelerator, registerAccelerator: false }),
  };
}

/** Zooms in, out, or back to the default. */
type OnZoom = (direction: -1 | 0 | 1) => void;

const separator: MenuItemConstructorOptions = { type: 'separator' };

/** The items of a group that the operating system implements. */
function systemItems(label: string, onZoom: OnZoom): readonly MenuItemConstructorOptions[] {
  const { menu } = nativeTexts();
  if (label === 'Patina') return [separator, { role: 'quit', label: menu.quit }];
  if (label !== 'View') return [];
  const zoom: MenuItemConstructorOptions[] = [
    { label: menu.actualSize, accelerator: 'CommandOrControl+0', click: () => onZoom(0) },
    { label: menu.zoomIn, accelerator: 'CommandOrControl+Plus', click: () => onZoom(1) },
    // The same key without Shift.
    { label: menu.zoomIn, accelerator: 'CommandOrControl+=', visible: false, click: () => onZoom(1) },
    { label: menu.zoomOut, accelerator: 'CommandOrControl+-', click: () => onZoom(-1) },
    { role: 'togglefullscreen', label: menu.fullScreen },
  ];
  return app.isPackaged ? [separator, ...zoom] : [separator, ...zoom, { role: 'toggleDevTools' }];
}

/** A group's label in the language of the window; a group without one keeps its own. */
function labelOf(group: string): string {
  const groups: Readonly<Record<string, string>> = nativeTexts().menu.groups;
  return groups[group] ?? group;
}

/** As the system builds it, with labels in the language of the window. */
function editMenu(): MenuItemConstructorOptions {
  const { menu } = nativeTexts();
  return {
    label: menu.edit,
    role: 'editMenu',
    submenu: [
      { role: 'undo', label: menu.undo },
      { role: 'redo', label: menu.redo },
      separator,
      { role: 'cut', label: menu.cut },
      { role: 'copy', label: menu.copy },
      { role: 'paste', label: menu.paste },
      { role: 'selectAll', label: menu.selectAll },
    ],
  };
}

function windowMenu(): MenuItemConstructorOptions {
  const { menu } = nativeTexts();
  return {
    label: menu.window,
    role: 'windowMenu',
    submenu: [
      { role: 'minimize', label: menu.minimize },
      { role: 'close', label: menu.close },
    ],
  };
}

/**
 * Sets the application menu. Without groups, as after a refused start, it contains only the items the system
 * needs.
 */
export function showAppMenu(
  groups: readonly MenuGroup[],
  onChosen: (id: string) => void,
  onZoom: OnZoom = () => undefined,
): void {
  const shown = groups.length > 0 ? groups : [{ label: 'Patina', rows: [] }];
  const menus = shown.map(({ label, rows }): MenuItemConstructorOptions => ({
    label: labelOf(label),
    submenu: [...rows.map((row) => itemOf(row, onChosen)), ...systemItems(label, onZoom)],
  }));
  // Every platform expects the help at the end.
  const helpAt = shown.at(-1)?.label === 'Help' ? menus.length - 1 : menus.length;
  const all = [
    ...menus.slice(0, 1),
    editMenu(),
    ...menus.slice(1, helpAt),
    windowMenu(),
    ...menus.slice(Math.max(1, helpAt)),
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(all));
}

/**
 * Sets the menu of a start, with every group that the complete menu can have, so that the menu bar already looks as
 * it stays when the window opens.
 */
export function showStartMenu(language: Settings['language']): void {
  setNativeLanguage(languageOf(language, app.getPreferredSystemLanguages()));
  const groups = ['Patina', ...Object.keys(nativeTexts().menu.groups)];
  showAppMenu(
    groups.map((label) => ({ label, rows: [] })),
    () => undefined,
  );
}
