/**
 * All window actions without an Id. A row of `seeds/actions` names one of them, and the window implements
 * each: a row with an unknown id blocks startup, a missing implementation does not compile.
 */
export const windowActionIds = [
  'new-session',
  'search-sessions',
  'find',
  'previous-session',
  'next-session',
  'rename-session',
  'pin-session',
  'unpin-session',
  'copy-reply',
  'retry-reply',
  'retry-with-model',
  'edit-message',
  'fork-session',
  'own-window',
  'archive-session',
  'restore-session',
  'delete-session',
  'copy-session',
  'export-markdown',
  'export-html',
  'export-json',
  'your-data',
  'save-recipe',
  'stop',
  'toggle-run-mode',
  'toggle-ask-tools',
  'choose-model',
  'choose-folder',
  'connect-model',
  'add-server',
  'toggle-inspector',
  'ddrs',
  'workspace',
  'workflows',
  'route-inspector',
  'reload-workflows',
  'theme-light',
  'theme-dark',
  'theme-system',
  'palette',
  'settings',
  'shortcuts',
  'help',
] as const;
export type WindowActionId = (typeof windowActionIds)[number];

export function isWindowActionId(id: string): id is WindowActionId {
  return (windowActionIds as readonly string[]).includes(id);
}
