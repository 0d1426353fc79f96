import type { DryRun, DryRunMatch } from '#shared/workflow-panel';
import type { Result } from '#shared/result';
import { CircleSlash, MessageSquare, Play } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { TextAreaField } from '../../ui/field';
import { useLatest } from '../../ui/use-latest';
import { readLines } from '../../ui/json-text';
import { formatHundredths } from '../../ui/format';

const maxSentences = 50;

function Match({
  match,
  rank,
  own,
}: {
  readonly match: DryRunMatch;
  readonly rank: number;
  readonly own: boolean;
}) {
  const { workflowId, matchScore, explanation, runnable, note, fromDraft } = match;
  const Icon = runnable ? Play : CircleSlash;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-t border-line px-3 py-1.5 text-sm first:border-t-0">
      <span className="numbers w-4 text-xs text-muted">{rank}</span>
      <span className="inline-flex items-center gap-1.5">
        <Icon aria-hidden size={12} className={runnable ? 'text-accent-text' : 'text-muted'} />
        <span className={own ? 'font-mono text-xs font-semibold' : 'font-mono text-xs'}>{workflowId}</span>
      </span>
      {fromDraft && (
        <span className="text-xs text-copper-text">{text('workflowAuthoring.try.fromDraft')}</span>
      )}
      <span className="numbers text-xs text-muted">
        {text('workflowAuthoring.try.score', { score: formatHundredths(matchScore) })}
      </span>
      <span className="min-w-0 flex-1 text-xs text-muted wrap-anywhere">
        <bdi>{explanation}</bdi>
        {note !== undefined && ` · ${note}`}
      </span>
    </li>
  );
}

function Sentence({ run, workflowId }: { readonly run: DryRun; readonly workflowId: string }) {
  return (
    <li className="overflow-hidden rounded-lg border border-line">
      <p dir="auto" className="bg-surface px-3 py-1.5 text-sm font-medium wrap-anywhere">
        “<bdi>{run.sentence}</bdi>”
      </p>
      {run.matches.length === 0 ? (
        <p className="flex items-center gap-1.5 px-3 py-1.5 text-sm text-muted">
          <MessageSquare aria-hidden size={12} /> {text('workflowAuthoring.try.nothing')}
        </p>
      ) : (
        <ol aria-label={text('workflowAuthoring.try.startedBy', { phrase: run.sentence })}>
          {run.matches.map((match, at) => (
            <Match key={match.workflowId} match={match} rank={at + 1} own={match.workflowId === workflowId} />
          ))}
        </ol>
      )}
    </li>
  );
}

function Runs({
  answer,
  workflowId,
}: {
  readonly answer: Result<readonly DryRun[]>;
  readonly workflowId: string;
}) {
  if (!answer.ok) return <ErrorCard error={answer.error} />;
  const first = answer.value.filter(({ matches }) => matches[0]?.workflowId === workflowId).length;
  return (
    <>
      <p role="status" className="text-sm text-muted">
        {text('workflowAuthoring.try.first', { first, count: answer.value.length })}
      </p>
      <ul aria-label={text('workflowAuthoring.try.results')} className="flex flex-col gap-2">
        {answer.value.map((run, at) => (
          <Sentence key={`${at} ${run.sentence}`} run={run} workflowId={workflowId} />
        ))}
      </ul>
    </>
  );
}

export interface DryRunTabProps {
  readonly workflowId: string;
  /** The draft to test; null without a draft, which tests the published version. */
  readonly draft: string | null;
}

/** Which workflows some sample sentences start, by the same matching that a model uses; nothing starts. */
export function DryRunTab({ workflowId, draft }: DryRunTabProps) {
  const commands = useCommands();
  const key = `${workflowId}.sentences`;
  const [line, setTyped] = useState(() => commands.unsavedEdits(key));
  const request = useMemo(() => {
    const sentences = readLines(line).slice(0, maxSentences);
    return sentences.length === 0 ? null : { sentences, draft };
  }, [line, draft]);
  const ask = useCallback(
    ({ sentences }: { readonly sentences: readonly string[] }) =>
      commands.trySentences({ sentences: [...sentences], workflowId }),
    [commands, workflowId],
  );
  const latest = useLatest(request, ask);
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      <TextAreaField
        label={text('workflowAuthoring.try.label')}
        hint={
          draft === null
            ? text('workflowAuthoring.try.hintPublished')
            : text('workflowAuthoring.try.hintDraft')
        }
        rows={4}
        value={line}
        placeholder={text('workflowAuthoring.try.placeholder')}
        onChange={(now) => {
          setTyped(now);
          commands.saveEdits(key, now);
        }}
      />
      {request && latest && <Runs answer={latest.output} workflowId={workflowId} />}
    </div>
  );
}
