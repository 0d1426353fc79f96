import { useView } from '../store/app-context';
import type { OpenDialog } from '../store/view-state';
import { later } from '../ui/later';

const Palette = later(async () => (await import('../features/palette/palette')).Palette);
const SearchDialog = later(async () => (await import('../features/palette/search-dialog')).SearchDialog);
const ShortcutList = later(async () => (await import('../features/palette/shortcut-list')).ShortcutList);
const DdrPanel = later(async () => (await import('../features/ddrs/ddr-panel')).DdrPanel);
const PickerDialog = later(async () => (await import('../features/picker/picker-dialog')).PickerDialog);
const RecipeDialog = later(async () => (await import('../features/run/recipe-dialog')).RecipeDialog);
const WorkflowPanel = later(
  async () => (await import('../features/workflow-authoring/workflow-panel')).WorkflowPanel,
);
const WorkspacePanel = later(
  async () => (await import('../features/workspace/workspace-panel')).WorkspacePanel,
);
const SettingsDialog = later(
  async () => (await import('../features/settings/settings-dialog')).SettingsDialog,
);

/** Dialogs that need to be told nothing. */
const plain = {
  palette: Palette,
  shortcuts: ShortcutList,
  ddrs: DdrPanel,
  workspace: WorkspacePanel,
} as const;

/** The list of a command's items, or of what a line may have meant. */
function Picker({ dialog }: { dialog: Extract<OpenDialog, { kind: 'picker' }> }) {
  if ('turn' in dialog) return <PickerDialog key={`turn ${dialog.turn}`} turn={dialog.turn} />;
  const { commandId, highlightId } = dialog;
  return (
    <PickerDialog key={commandId} commandId={commandId} {...(highlightId !== undefined && { highlightId })} />
  );
}

/** The one dialog that is open, if any. */
export function Dialogs() {
  const dialog = useView((view) => view.dialog);
  if (!dialog) return null;
  switch (dialog.kind) {
    case 'search':
      return <SearchDialog initial={dialog.text ?? ''} />;
    case 'picker':
      return <Picker dialog={dialog} />;
    case 'recipe':
      return <RecipeDialog key={dialog.turn} turn={dialog.turn} />;
    case 'workflows':
      return <WorkflowPanel initial={dialog.workflowId ?? null} />;
    case 'settings':
      return <SettingsDialog section={dialog.section} />;
    default: {
      const Plain = plain[dialog.kind];
      return <Plain />;
    }
  }
}
