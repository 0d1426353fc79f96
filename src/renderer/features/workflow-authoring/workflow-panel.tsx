import { Plus, Workflow, X } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useApp, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { useAnswer } from '../../ui/use-answer';
import { NewDraft } from './new-draft';
import { WorkflowDetail } from './workflow-detail';
import { WorkflowList } from './workflow-list';

interface SearchProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onNew: () => void;
  readonly onClose: () => void;
}

function Search({ text, onText, onNew, onClose }: SearchProps) {
  return (
    <div className="flex items-center gap-1 border-b border-line ps-3 pe-2">
      <input
        data-autofocus
        type="search"
        aria-label="Search the workflows"
        placeholder="Search workflows"
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        maxLength={200}
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="h-11 min-w-0 flex-1 bg-transparent text-sm outline-none"
      />
      <Button className="h-7 px-2" onClick={onNew}>
        <Plus aria-hidden size={14} /> New draft
      </Button>
      <IconButton bare icon={X} label="Close the workflows" className="narrow:hidden" onClick={onClose} />
    </div>
  );
}

function NothingOpen() {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 px-6 text-center text-sm text-muted">
      <Workflow aria-hidden size={20} strokeWidth={1.5} />
      <p className="max-w-72">
        Choose a workflow to read it, change it as a new version, try what starts it, and publish it.
      </p>
    </div>
  );
}

type Open = { readonly kind: 'workflow'; readonly id: string } | { readonly kind: 'new' } | null;

interface OpenedProps {
  readonly open: Open;
  readonly reload: () => void;
  readonly show: (workflowId: string) => void;
  readonly onBack: () => void;
}

function Opened({ open, reload, show, onBack }: OpenedProps) {
  if (open === null) return <NothingOpen />;
  if (open.kind === 'workflow') {
    return <WorkflowDetail key={open.id} workflowId={open.id} onChanged={reload} onBack={onBack} />;
  }
  const begun = (workflowId: string) => {
    reload();
    show(workflowId);
  };
  return <NewDraft onBegun={begun} onCancel={onBack} />;
}

/** Workflows as their authors see them: listed, drafted, checked, compared, tried, and published by the user. */
export function WorkflowPanel() {
  const { view, commands } = useApp();
  const [text, setText] = useState('');
  const [open, setOpen] = useState<Open>(null);
  const [time, setTime] = useState(0);
  // A model or the command line may write workflows while the panel is open.
  const news = useMirror(({ workflowNews }) => workflowNews);
  const shelf = useAnswer(commands.listAuthored, `${time} ${news}`);
  const reload = useCallback(() => setTime((before) => before + 1), []);
  const show = (id: string) => setOpen({ kind: 'workflow', id });
  const close = () => view.set({ dialog: null });
  return (
    <Modal
      label="Workflows"
      onClose={close}
      className="mt-[5vh] h-[88vh] w-[72rem] max-w-[calc(100vw-2rem)] open:flex"
    >
      <div
        className={classNames(
          'flex w-72 shrink-0 flex-col border-e border-line max-narrow:w-full max-narrow:border-0',
          open !== null && 'max-narrow:hidden',
        )}
      >
        <h1 className="sr-only">Workflows</h1>
        <Search text={text} onText={setText} onNew={() => setOpen({ kind: 'new' })} onClose={close} />
        <div className="relative min-h-0 grow overflow-y-auto p-1.5">
          <WorkflowList
            {...{ shelf, text }}
            chosen={open?.kind === 'workflow' ? open.id : null}
            onOpen={show}
          />
        </div>
      </div>
      <div className={classNames('relative min-w-0 flex-1', open === null && 'max-narrow:hidden')}>
        <Opened {...{ open, reload, show }} onBack={() => setOpen(null)} />
        <IconButton
          bare
          icon={X}
          label="Close the workflows"
          onClick={close}
          className="absolute top-2 right-2 max-narrow:hidden"
        />
      </div>
    </Modal>
  );
}
