import { assertNever } from '#shared/result';
import { DdrPanel } from '../features/ddrs/ddr-panel';
import { Palette } from '../features/palette/palette';
import { SearchDialog } from '../features/palette/search-dialog';
import { ShortcutList } from '../features/palette/shortcut-list';
import { PickerDialog } from '../features/picker/picker-dialog';
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
    case 'picker':
      return 'turn' in dialog ? (
        <PickerDialog key={`turn ${dialog.turn}`} turn={dialog.turn} />
      ) : (
        <PickerDialog key={dialog.commandId} commandId={dialog.commandId} />
      );
    case 'ddrs':
      return <DdrPanel />;
    case 'settings':
      return <SettingsDialog section={dialog.section} />;
    default:
      return assertNever(dialog);
  }
}
