import type { WorkspaceOverride } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useApp, useView } from '../../store/app-context';
import { SelectField } from '../../ui/select-field';
import type { Workspace } from './use-workspace';

const preset = '';

/** The snapshot's default first, with its name if it is in use. */
const optionsOf = (ids: readonly string[], chosen: string | null, used: string | null) => [
  { value: preset, label: chosen === null && used ? `${used} (by default)` : 'The snapshot’s default' },
  ...ids.map((id) => ({ value: id, label: id })),
];

/** The prompt pack and tool catalog in use: the snapshot's defaults, or the user's choice. */
export function ChoicesPart({
  workspace,
  view,
}: {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
}) {
  const { contents, state } = view;
  if (!contents) return null;
  const packs = contents.packs.map(({ id }) => id);
  const catalogs = contents.catalogs.map(({ id }) => id);
  const choose = (choice: { promptPack?: string | null; toolCatalog?: string | null }) =>
    void workspace.act({ op: 'choose', ...choice });
  return (
    <section aria-label="In use" className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex flex-col gap-2">
        <SelectField
          label="Prompt pack"
          value={state.promptPack ?? preset}
          disabled={workspace.busy !== null}
          options={optionsOf(packs, state.promptPack, contents.promptPack)}
          onChange={(id) => choose({ promptPack: id === preset ? null : id })}
        />
        <SelectField
          label="Tool catalog"
          value={state.toolCatalog ?? preset}
          disabled={workspace.busy !== null}
          options={optionsOf(catalogs, state.toolCatalog, contents.toolCatalog)}
          onChange={(id) => choose({ toolCatalog: id === preset ? null : id })}
        />
      </div>
      <p className="text-xs text-muted">A catalog can hide a tool. It never grants one.</p>
    </section>
  );
}

/** The content that only the next line uses; the session's own choice stays unchanged. */
export function NextLinePart({ view }: { readonly view: WorkspaceView }) {
  const { view: window } = useApp();
  const wish = useView((state) => state.lineContent);
  const { contents } = view;
  if (!contents || view.sessionId === null) return null;
  const set = (change: WorkspaceOverride) => {
    const wished = Object.entries({ ...wish, ...change }).filter(([, value]) => value);
    const next: WorkspaceOverride = Object.fromEntries(wished);
    window.set({ lineContent: Object.keys(next).length > 0 ? next : null });
  };
  const options = (ids: readonly { readonly id: string; readonly label?: string }[]) => [
    { value: preset, label: 'As the session' },
    ...ids.map(({ id, label = id }) => ({ value: id, label })),
  ];
  return (
    <section aria-label="For the next line only" className="flex flex-col gap-2 border-t border-line pt-4">
      <p className="text-xs font-medium text-muted">For the next line only</p>
      <SelectField
        label="Prompt pack of the next line"
        value={wish?.promptPack ?? preset}
        options={options(contents.packs)}
        onChange={(promptPack) => set({ promptPack })}
      />
      <SelectField
        label="Tool catalog of the next line"
        value={wish?.toolCatalog ?? preset}
        options={options(contents.catalogs)}
        onChange={(toolCatalog) => set({ toolCatalog })}
      />
      <SelectField
        label="Snapshot of the next line"
        value={wish?.snapshot ?? preset}
        options={options(view.snapshots.map(({ hash }) => ({ id: hash, label: hash.slice(0, 12) })))}
        onChange={(snapshot) => set({ snapshot })}
      />
    </section>
  );
}
