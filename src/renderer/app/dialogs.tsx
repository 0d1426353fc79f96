import { assertNever } from '#shared/result';
import { Palette } from '../features/palette/palette';
import { SearchDialog } from '../features/palette/search-dialog';
import { ShortcutList } from '../features/palette/shortcut-list';
import { SettingsDialog } from '../features/settings/settings-dialog';
import { useView } from '../store/app-context';

/** The one dialog that is open, if any. */
export function Dialogs() {
  const dialog = useView((view) => view.dialog);
  if (!dialog) return null;
  switch (dialog.kind) {
    case 'palette':
      return <Palette />;
    case 'search':
      return <SearchDialog initial={dialog.text ?? ''} />;
    case 'shortcuts':
      return <ShortcutList />;
    case 'settings':
      return <SettingsDialog section={dialog.section} />;
    default:
      return assertNever(dialog);
  }
}
