import type { Ddr, DdrDiff } from '#shared/ddr';
import { ArrowLeft } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useCallback, useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { Markdown } from '../../ui/markdown/markdown';
import { useAnswer } from '../../ui/use-answer';
import { DdrApprovals } from './ddr-approvals';
import { Approval, DdrStatusIcon } from './ddr-status';
import type { DdrCalls } from './use-ddrs';
import { DiffHunks } from '../../ui/diff-hunks';

const choices = [
  { against: 'approved', label: text('ddrs.diff.approved') },
  { against: 'previous', label: text('ddrs.diff.previous') },
] as const;

function Hunks({ diff }: { readonly diff: DdrDiff }) {
  if (!diff.available) {
    return <p className="py-6 text-center text-sm text-muted">{text('ddrs.diff.none')}</p>;
  }
  if (diff.hunks.length === 0) {
    return <p className="py-6 text-center text-sm text-muted">{text('ddrs.diff.same')}</p>;
  }
  return <DiffHunks hunks={diff.hunks} />;
}

interface DdrChangesProps {
  readonly id: string;
  readonly calls: DdrCalls;
  readonly time: number;
}

/** The changes in a document, line by line, against the approved or the previous version. */
function DdrChanges({ id, calls, time }: DdrChangesProps) {
  const [against, setAgainst] = useState<DdrDiff['against']>('approved');
  const ask = useCallback(() => calls.diff(id, against), [calls, id, against]);
  const answer = useAnswer(ask, time);
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center gap-1.5">
        {choices.map((choice) => (
          <button
            key={choice.against}
            type="button"
            aria-pressed={against === choice.against}
            onClick={() => setAgainst(choice.against)}
            className="h-7 rounded-md px-2 text-xs text-muted hover:bg-hover hover:text-text aria-pressed:bg-active aria-pressed:text-text"
          >
            {choice.label}
          </button>
        ))}
        {answer?.ok && answer.value.available && (
          <span className="numbers ms-auto text-xs text-muted">
            {text('ddrs.diff.count', { added: answer.value.added, removed: answer.value.removed })}
          </span>
        )}
      </div>
      {answer && !answer.ok && <ErrorCard error={answer.error} />}
      {answer?.ok && (
        <div className="overflow-hidden rounded-lg border border-line">
          <Hunks diff={answer.value} />
        </div>
      )}
    </div>
  );
}

const trigger =
  'h-7 rounded-md px-2.5 text-sm text-muted hover:text-text data-[state=active]:bg-active data-[state=active]:text-text';

function Head({ ddr, onBack }: { readonly ddr: Ddr; readonly onBack: () => void }) {
  return (
    <div className="flex items-start gap-2">
      <IconButton
        bare
        icon={ArrowLeft}
        label={text('ddrs.back')}
        className="narrow:hidden"
        onClick={onBack}
      />
      <div className="min-w-0 flex-1">
        <h2 dir="auto" className="readable text-lg font-semibold wrap-anywhere">
          {ddr.title}
        </h2>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <EntityName text={ddr.id} className="readable font-mono text-xs" />
          <DdrStatusIcon status={ddr.status} />
          <Approval approval={ddr.approval} />
          {ddr.origin === 'seed' && <span className="text-xs">{text('ddrs.builtIn')}</span>}
        </p>
        {ddr.changedSinceApproval && <p className="mt-1 text-sm text-copper-text">{text('ddrs.changed')}</p>}
      </div>
    </div>
  );
}

export interface DdrDetailProps {
  readonly id: string;
  readonly calls: DdrCalls;
  readonly time: number;
  readonly onChanged: () => void;
  readonly onBack: () => void;
}

/** One document: its text, its changes, and its approvals. */
export function DdrDetail({ id, calls, time, onChanged, onBack }: DdrDetailProps) {
  const { commands } = useApp();
  const [tab, setTab] = useState('text');
  const ask = useCallback(() => calls.get(id), [calls, id]);
  const answer = useAnswer(ask, time);
  if (!answer) return null;
  if (!answer.ok) {
    return (
      <div className="p-4">
        <ErrorCard error={answer.error} onRetry={onChanged} />
      </div>
    );
  }
  const ddr = answer.value;
  return (
    <Tabs.Root value={tab} onValueChange={setTab} className="flex h-full min-h-0 flex-col">
      <div className="border-b border-line px-5 pt-4 pe-12 pb-2">
        <Head ddr={ddr} onBack={onBack} />
        <Tabs.List aria-label={text('ddrs.about', { id })} className="-ms-2.5 mt-2 flex gap-0.5">
          <Tabs.Trigger value="text" className={trigger}>
            {text('ddrs.tabs.text')}
          </Tabs.Trigger>
          <Tabs.Trigger value="changes" className={trigger}>
            {text('ddrs.tabs.changes')}
          </Tabs.Trigger>
          <Tabs.Trigger value="approvals" className={trigger}>
            {text('ddrs.approvals.title')}
          </Tabs.Trigger>
        </Tabs.List>
      </div>
      <Tabs.Content value="text" className="min-h-0 grow overflow-y-auto px-5 py-4">
        <Markdown
          text={ddr.markdown}
          streaming={false}
          onOpenLink={(url) => void commands.openLink(url)}
          onCopy={(text) => void commands.copy(text)}
        />
      </Tabs.Content>
      <Tabs.Content value="changes" className="min-h-0 grow overflow-y-auto px-5 py-4">
        <DdrChanges id={id} calls={calls} time={time} />
      </Tabs.Content>
      <Tabs.Content value="approvals" className="min-h-0 grow overflow-y-auto px-5 py-4">
        <DdrApprovals ddr={ddr} calls={calls} onApproved={onChanged} />
      </Tabs.Content>
    </Tabs.Root>
  );
}
