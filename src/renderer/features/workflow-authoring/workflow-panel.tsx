import type { JsonObject } from '#shared/json';
import { FileUp, Plus, Workflow } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { ListPanel } from '../../ui/list-panel';
import { useAnswer } from '../../ui/use-answer';
import { readDefinition } from './definition-file';
import type { DraftSource } from './draft-copy';
import { NewDraft } from './new-draft';
import { WorkflowDetail } from './workflow-detail';
import { WorkflowList } from './workflow-list';

function EmptyPanel() {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 px-6 text-center text-sm text-muted">
      <Workflow aria-hidden size={20} strokeWidth={1.5} />
      <p className="max-w-72">{text('workflowAuthoring.empty')} </p>
    </div>
  );
}

type Open =
  | { readonly kind: 'workflow'; readonly id: string }
  | { readonly kind: 'new'; readonly source: DraftSource | null }
  | null;

interface OpenedProps {
  readonly open: Open;
  readonly reload: () => void;
  readonly show: (workflowId: string) => void;
  readonly onCopy: (source: JsonObject) => void;
  readonly onBack: () => void;
}

function Opened({ open, reload, show, onCopy, onBack }: OpenedProps) {
  if (open === null) return <EmptyPanel />;
  if (open.kind === 'workflow') {
    return (
      <WorkflowDetail key={open.id} workflowId={open.id} onChanged={reload} onCopy={onCopy} onBack={onBack} />
    );
  }
  const { source } = open;
  const begun = (workflowId: string) => {
    reload();
    show(workflowId);
  };
  return <NewDraft key={source?.kind ?? 'new'} source={source} onBegun={begun} onCancel={onBack} />;
}

/** Begins a draft from a file with the definition of a workflow. */
function ImportButton({ onRead }: { readonly onRead: (fields: JsonObject) => void }) {
  const { view } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const fields = await readDefinition(file);
    if (fields.ok) onRead(fields.value);
    else view.toast(fields.error);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        data-import
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <IconButton
        bare
        icon={FileUp}
        label={text('workflowAuthoring.import.label')}
        onClick={() => input.current?.click()}
      />
    </>
  );
}

/** Workflows for their authors: list, draft, check, compare, test, and publish by the user. */
export function WorkflowPanel({ initial }: { readonly initial: string | null }) {
  const { view, commands } = useApp();
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<Open>(initial === null ? null : { kind: 'workflow', id: initial });
  const [time, setTime] = useState(0);
  // A model or the command line can write workflows while the panel is open.
  const news = useMirror(({ workflowNews }) => workflowNews);
  const list = useAnswer(commands.listAuthored, `${time} ${news}`);
  const reload = useCallback(() => setTime((before) => before + 1), []);
  const show = (id: string) => setOpen({ kind: 'workflow', id });
  const begin = (
    <>
      <ImportButton onRead={(fields) => setOpen({ kind: 'new', source: { kind: 'file', fields } })} />
      <Button className="h-7 px-2" onClick={() => setOpen({ kind: 'new', source: null })}>
        <Plus aria-hidden size={14} /> {text('workflowAuthoring.newDraft')}
      </Button>
    </>
  );
  const chosen = open?.kind === 'workflow' ? open.id : null;
  return (
    <ListPanel
      label={text('workflowAuthoring.title')}
      noun={text('workflowAuthoring.noun')}
      search={search}
      onSearch={setSearch}
      actions={begin}
      list={<WorkflowList list={list} search={search} chosen={chosen} onOpen={show} />}
      open={open !== null}
      onClose={() => view.set({ dialog: null })}
      className="mt-[5vh] h-[88vh] w-[72rem]"
    >
      <Opened
        open={open}
        reload={reload}
        show={show}
        onCopy={(fields) => setOpen({ kind: 'new', source: { kind: 'copy', fields } })}
        onBack={() => setOpen(null)}
      />
    </ListPanel>
  );
}
