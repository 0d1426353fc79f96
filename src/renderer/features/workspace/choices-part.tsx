import type { WorkspaceOverride } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { text } from '../../locales/text';
import { useApp, useView } from '../../store/app-context';
import { SelectField } from '../../ui/select-field';
import type { Workspace } from './use-workspace';

const preset = '';

/** The default of the active version first, with its name if it is in use. */
const optionsOf = (ids: readonly string[], chosen: string | null, used: string | null) => [
  {
    value: preset,
    label:
      chosen === null && used
        ? text('workspace.inUse.default', { name: used })
        : text('workspace.inUse.defaultOf'),
  },
  ...ids.map((id) => ({ value: id, label: id })),
];

/** The prompt pack and tool catalog in use: the defaults of the version, or the user's choice. */
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
    <section
      aria-label={text('workspace.inUse.label')}
      className="flex flex-col gap-2 border-t border-line pt-4"
    >
      <div className="flex flex-col gap-2">
        <SelectField
          label={text('workspace.inUse.instructions')}
          value={state.promptPack ?? preset}
          disabled={workspace.busy !== null}
          options={optionsOf(packs, state.promptPack, contents.promptPack)}
          onChange={(id) => choose({ promptPack: id === preset ? null : id })}
        />
        <SelectField
          label={text('workspace.inUse.toolSet')}
          value={state.toolCatalog ?? preset}
          disabled={workspace.busy !== null}
          options={optionsOf(catalogs, state.toolCatalog, contents.toolCatalog)}
          onChange={(id) => choose({ toolCatalog: id === preset ? null : id })}
        />
      </div>
      <p className="text-xs text-muted">{text('workspace.inUse.hint')}</p>
    </section>
  );
}

/** The content that only the next line uses; the session's own choice stays unchanged. */
export function NextLinePart({ view }: { readonly view: WorkspaceView }) {
  const { view: window } = useApp();
  const override = useView((state) => state.lineContent);
  const { contents } = view;
  if (!contents || view.sessionId === null) return null;
  const set = (change: WorkspaceOverride) => {
    const entries = Object.entries({ ...override, ...change }).filter(([, value]) => value);
    const next: WorkspaceOverride = Object.fromEntries(entries);
    window.set({ lineContent: Object.keys(next).length > 0 ? next : null });
  };
  const options = (ids: readonly { readonly id: string; readonly label?: string }[]) => [
    { value: preset, label: text('workspace.nextMessage.same') },
    ...ids.map(({ id, label = id }) => ({ value: id, label })),
  ];
  return (
    <section
      aria-label={text('workspace.nextMessage.label')}
      className="flex flex-col gap-2 border-t border-line pt-4"
    >
      <p className="text-xs font-medium text-muted">{text('workspace.nextMessage.label')}</p>
      <SelectField
        label={text('workspace.nextMessage.instructions')}
        value={override?.promptPack ?? preset}
        options={options(contents.packs)}
        onChange={(promptPack) => set({ promptPack })}
      />
      <SelectField
        label={text('workspace.nextMessage.toolSet')}
        value={override?.toolCatalog ?? preset}
        options={options(contents.catalogs)}
        onChange={(toolCatalog) => set({ toolCatalog })}
      />
      <SelectField
        label={text('workspace.nextMessage.version')}
        value={override?.snapshot ?? preset}
        options={options(view.snapshots.map(({ hash }) => ({ id: hash, label: hash.slice(0, 12) })))}
        onChange={(snapshot) => set({ snapshot })}
      />
    </section>
  );
}
