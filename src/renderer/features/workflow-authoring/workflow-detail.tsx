import type { JsonObject } from '#shared/json';
import type { AuthoredWorkflow, AuthoringNames } from '#shared/workflow-panel';
import type { Result } from '#shared/result';
import { ArrowLeft, Copy, FileDown, Play, PencilLine, Trash2 } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useCallback, useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useCommands, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { ChangeTab } from './change-tab';
import { definitionText } from './definition-file';
import { DefinitionForm } from './definition-form';
import { DryRunTab } from './dry-run-tab';
import { HistoryTab } from './history-tab';
import { lineText } from '../../ui/json-text';
import { useDraft, type DraftForm, type Reload } from './use-draft';
import { WorkflowStatusIcon } from './workflow-status-icon';
import { draftVersion } from './draft-copy';
import { refusalOf } from './refusal';

interface DraftActionsProps {
  readonly workflow: AuthoredWorkflow;
  readonly reload: Reload;
  /** Drops the unsaved edits of a discarded draft. */
  readonly forget: () => void;
}

/** Starts the next version of a published workflow, or discards the draft after a second click. */
function DraftActions({ workflow, reload, forget }: DraftActionsProps) {
  const { commands, view } = useApp();
  const [sure, setSure] = useState(false);
  const { workflowId, draft, published } = workflow;
  const done = async (message: string, refused: string | null) => {
    view.toast(refused ?? message);
    await reload();
  };
  const begin = async () =>
    done(text('workflowAuthoring.actions.created'), await draftVersion(commands, workflow));
  const discard = async () => {
    const shown = { draft: draft?.hash ?? null, published: published?.hash ?? null };
    const refused = refusalOf(await commands.discardDraft({ workflowId, shown }));
    if (refused === null) forget();
    setSure(false);
    await done(text('workflowAuthoring.actions.discarded'), refused);
  };
  if (!draft) {
    return (
      published && (
        <Button onClick={() => void begin()}>
          <PencilLine aria-hidden size={14} /> {text('workflowAuthoring.actions.edit')}
        </Button>
      )
    );
  }
  return sure ? (
    <span className="flex flex-wrap justify-end gap-2">
      {/* The safe answer has the focus, so that holding or repeating Enter discards nothing. */}
      <Button tone="quiet" autoFocus onClick={() => setSure(false)}>
        {text('workflowAuthoring.actions.keep')}
      </Button>
      <Button tone="danger" onClick={() => void discard()}>
        {text('workflowAuthoring.actions.confirm')}
      </Button>
    </span>
  ) : (
    <Button tone="quiet" onClick={() => setSure(true)}>
      <Trash2 aria-hidden size={14} /> {text('workflowAuthoring.actions.discard')}
    </Button>
  );
}

const trigger =
  'h-7 rounded-md px-2.5 text-sm text-muted hover:text-text data-[state=active]:bg-active data-[state=active]:text-text';
const content = 'min-h-0 grow overflow-y-auto px-5 py-4 focus-visible:-outline-offset-2';

const tabs = ['definition', 'change', 'try', 'history'] as const;

function StatusLine({
  published,
  draft,
  values,
}: {
  readonly published: AuthoredWorkflow['published'];
  readonly draft: AuthoredWorkflow['draft'];
  readonly values: AuthoredWorkflow['fields'];
}) {
  return (
    <>
      {published && (
        <span className="inline-flex items-center gap-1.5">
          <WorkflowStatusIcon status={published.halted === null ? published.status : 'halted'} />
          <span className="numbers font-mono text-xs">{published.version}</span>
          {published.layer !== 'home' && (
            <span className="text-xs">{text(`workflowAuthoring.layer.${published.layer}`)}</span>
          )}
        </span>
      )}
      {draft && (
        <span className="inline-flex items-center gap-1.5">
          <WorkflowStatusIcon status="draft" />
          <span className="numbers font-mono text-xs">{lineText(values?.['Version'])}</span>
        </span>
      )}
      {!published && !draft && <WorkflowStatusIcon status="removed" />}
    </>
  );
}

interface LoadedProps {
  readonly workflow: AuthoredWorkflow;
  readonly names: AuthoringNames;
  readonly reload: Reload;
  readonly onCopy: (source: JsonObject) => void;
  readonly onBack: () => void;
}

/** Starts the published workflow in the open session, copies it into a draft of its own, or saves it as a file. */
function UseActions({ workflow, onCopy }: Pick<LoadedProps, 'workflow' | 'onCopy'>) {
  const { commands, view } = useApp();
  const { workflowId, fields, published } = workflow;
  const startable = published !== null && published.halted === null && published.status !== 'disabled';
  const start = () => {
    view.set({ dialog: null });
    void commands.send(`use workflow: ${workflowId}`);
  };
  return (
    <>
      {startable && (
        <Button onClick={start}>
          <Play aria-hidden size={14} /> {text('workflowAuthoring.actions.start')}
        </Button>
      )}
      {fields && (
        <>
          <Button tone="quiet" onClick={() => onCopy(fields)}>
            <Copy aria-hidden size={14} /> {text('workflowAuthoring.actions.duplicate')}
          </Button>
          <Button
            tone="quiet"
            onClick={() => void commands.saveText(`${workflowId}.json`, definitionText(fields))}
          >
            <FileDown aria-hidden size={14} /> {text('workflowAuthoring.actions.export')}
          </Button>
        </>
      )}
    </>
  );
}

function Head({
  workflow,
  reload,
  onCopy,
  onBack,
  form: { values, forget },
}: Omit<LoadedProps, 'names'> & { readonly form: DraftForm }) {
  const { workflowId, published, draft } = workflow;
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="flex min-w-0 grow basis-72 items-start gap-2">
        <IconButton
          bare
          icon={ArrowLeft}
          label={text('workflowAuthoring.detail.back')}
          className="narrow:hidden"
          onClick={onBack}
        />
        <div className="min-w-0 flex-1">
          <h2 className="readable line-clamp-3 text-lg font-semibold wrap-anywhere">
            <bdi>{lineText(values?.['Title']) || workflowId}</bdi>
          </h2>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <EntityName text={workflowId} className="readable font-mono text-xs" />
            <StatusLine published={published} draft={draft} values={values} />
          </p>
          {published?.halted && (
            <p className="mt-1 text-sm text-danger-text wrap-anywhere">{published.halted}</p>
          )}
        </div>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <UseActions workflow={workflow} onCopy={onCopy} />
        <DraftActions workflow={workflow} reload={reload} forget={forget} />
      </div>
    </div>
  );
}

function Loaded({ workflow, names, reload, onCopy, onBack }: LoadedProps) {
  const [tab, setTab] = useState('definition');
  const form = useDraft(workflow, reload);
  return (
    <Tabs.Root value={tab} onValueChange={setTab} className="flex h-full min-h-0 flex-col">
      <div className="border-b border-line px-5 pt-4 pe-12 pb-2">
        <Head workflow={workflow} reload={reload} onCopy={onCopy} onBack={onBack} form={form} />
        <Tabs.List
          aria-label={text('workflowAuthoring.detail.tabs', { workflow: workflow.workflowId })}
          className="-ms-2.5 mt-2 flex flex-wrap gap-0.5"
        >
          {tabs.map((value) => (
            <Tabs.Trigger key={value} value={value} className={trigger}>
              {text(`workflowAuthoring.detail.tab.${value}`)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
      </div>
      <Tabs.Content value="definition" className={content}>
        <DefinitionForm form={form} names={names} readOnly={workflow.draft === null} />
      </Tabs.Content>
      <Tabs.Content value="change" className={content}>
        <ChangeTab workflow={workflow} form={form} reload={reload} />
      </Tabs.Content>
      <Tabs.Content value="try" className={content}>
        <DryRunTab workflowId={workflow.workflowId} draft={workflow.draft?.hash ?? null} />
      </Tabs.Content>
      <Tabs.Content value="history" className={content}>
        <HistoryTab workflow={workflow} reload={reload} onChange={() => setTab('change')} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

const noNames: AuthoringNames = { tools: [], workflows: [], modes: [] };

/** The names that a definition can use; loaded once, because servers may have to start for it. */
function useNames(): AuthoringNames {
  const commands = useCommands();
  const [names, setNames] = useState(noNames);
  useEffect(() => {
    let wanted = true;
    void commands.nameAuthored().then((answer) => {
      if (wanted && answer.ok) setNames(answer.value);
    });
    return () => {
      wanted = false;
    };
  }, [commands]);
  return names;
}

export interface WorkflowDetailProps {
  readonly workflowId: string;
  readonly onChanged: () => void;
  readonly onCopy: (source: JsonObject) => void;
  readonly onBack: () => void;
}

/** One workflow: its definition, its unpublished changes, a test of what starts it, and its history. */
export function WorkflowDetail({ workflowId, onChanged, onCopy, onBack }: WorkflowDetailProps) {
  const commands = useCommands();
  const names = useNames();
  const [answer, setAnswer] = useState<Result<AuthoredWorkflow> | null>(null);
  const news = useMirror(({ workflowNews }) => workflowNews);
  const reload: Reload = useCallback(
    async (then) => {
      const now = await commands.viewAuthored(workflowId);
      setAnswer(now);
      then?.();
      onChanged();
    },
    [commands, workflowId, onChanged],
  );
  useEffect(() => {
    let wanted = true;
    void commands.viewAuthored(workflowId).then((first) => {
      if (wanted) setAnswer(first);
    });
    return () => {
      wanted = false;
    };
  }, [commands, workflowId, news]);
  if (!answer) return null;
  if (!answer.ok) {
    return (
      <div className="p-4">
        <ErrorCard error={answer.error} onRetry={() => void reload()} />
      </div>
    );
  }
  return <Loaded workflow={answer.value} names={names} reload={reload} onCopy={onCopy} onBack={onBack} />;
}
