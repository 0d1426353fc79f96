import { assertNever } from '#shared/result';
import { useView } from '../store/app-context';
import { later } from '../ui/later';

const Palette = later(async () => (await import('../features/palette/palette')).Palette);
const SearchDialog = later(async () => (await import('../features/palette/search-dialog')).SearchDialog);
const ShortcutList = later(async () => (await import('../features/palette/shortcut-list')).ShortcutList);
const DdrPanel = later(async () => (await import('../features/ddrs/ddr-panel')).DdrPanel);
const PickerDialog = later(async () => (await import('../features/picker/picker-dialog')).PickerDialog);
const SettingsDialog = later(
  async () => (await import('../features/settings/settings-dialog')).SettingsDialog,
);

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
