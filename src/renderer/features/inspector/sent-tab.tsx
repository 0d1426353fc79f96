import type { Result } from '#shared/result';
import type { SentStepView, SentText } from '#shared/sent-step';
import type { Turn } from '#shared/session-state';
import { ChevronRight, FileText } from 'lucide-react';
import { useCallback } from 'react';
import { text } from '../../locales/text';
import { CopyButton } from '../../ui/markdown/code-block';
import { SentItems, type ReadItem } from '../../ui/sent-items';
import { ErrorCard } from '../../ui/error-card';
import { formatTime } from '../../ui/format';
import { useAnswer } from '../../ui/use-answer';
import { EmptyState } from './empty-state';
import { ImageRows, type ImageRowsProps } from './image-rows';
import { useClock } from '../../ui/use-clock';

const parts: Readonly<Record<SentStepView['part'], string>> = {
  reply: text('inspector.sent.part.reply'),
  plan: text('inspector.sent.part.plan'),
  repair: text('inspector.sent.part.repair'),
  replan: text('inspector.sent.part.replan'),
  recipe: text('inspector.sent.part.recipe'),
  answer: text('inspector.sent.part.answer'),
  node: text('inspector.sent.part.node'),
};

/** The rendered part of a long block; copying copies all of it. */
const drawnLength = 100_000;

const fold =
  'flex cursor-default list-none items-center gap-2 px-2.5 py-1.5 text-sm hover:bg-hover focus-visible:-outline-offset-2';

function BlockText({
  block: { source, text: content },
  onCopy,
}: {
  readonly block: SentText;
  readonly onCopy: (text: string) => void;
}) {
  if (content === null) {
    return <p className="px-2.5 pb-2.5 text-sm text-danger-text">{text('inspector.sent.damaged')}</p>;
  }
  const cut = content.length > drawnLength;
  return (
    <div className="px-2.5 pb-2.5">
      <div className="flex justify-end">
        <CopyButton text={content} what={text('inspector.copy.block')} onCopy={onCopy} />
      </div>
      <pre
        dir="auto"
        tabIndex={0}
        aria-label={source}
        className="readable max-h-96 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {cut ? `${content.slice(0, drawnLength)}…` : content}
      </pre>
      {cut && (
        <p className="numbers mt-1 text-xs text-muted">
          {text('inspector.sent.rest', { count: content.length })}
        </p>
      )}
    </div>
  );
}

function Block({ block, onCopy }: { readonly block: SentText; readonly onCopy: (text: string) => void }) {
  return (
    <details className="group/block border-t border-line">
      <summary className={fold}>
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 text-muted group-open/block:rotate-(--quarter-turn)"
        />
        <span className="min-w-0 grow truncate">{block.source}</span>
        <span className="numbers shrink-0 text-xs text-muted">
          {text('shared.tokens', { count: block.tokens })}
        </span>
      </summary>
      <BlockText block={block} onCopy={onCopy} />
    </details>
  );
}

function Tools({ tools }: Pick<SentStepView, 'tools'>) {
  if (tools.length === 0) return null;
  return (
    <details className="group/block border-t border-line">
      <summary className={fold}>
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 text-muted group-open/block:rotate-(--quarter-turn)"
        />
        <span className="numbers grow">{text('inspector.sent.tools', { count: tools.length })}</span>
      </summary>
      <ul className="readable px-2.5 pb-2 font-mono text-xs leading-5 wrap-anywhere">
        {tools.map((tool) => (
          <li key={tool}>{tool}</li>
        ))}
      </ul>
    </details>
  );
}

/** The content on which a call was based. */
function SourceLine({ step: { snapshot, promptPack, toolCatalog } }: { readonly step: SentStepView }) {
  const rows = [
    [text('inspector.sent.instructions'), promptPack ?? text('inspector.sent.none')],
    [text('inspector.sent.toolSet'), toolCatalog ?? text('inspector.sent.none')],
    [text('inspector.sent.version'), snapshot.slice(0, 12), snapshot],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 border-t border-line px-2.5 py-1.5 text-xs">
      {rows.map(([name, value, whole]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-muted">{name}</dt>
          <dd title={whole} className="readable font-mono wrap-anywhere">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const wholeText = ({ blocks }: SentStepView): string => blocks.flatMap(({ text }) => text ?? []).join('\n\n');

interface StepProps {
  readonly step: SentStepView;
  readonly open: boolean;
  readonly loadImage: ImageRowsProps['loadImage'];
  readonly readItem: ReadItem;
  readonly onCopy: (text: string) => void;
}

function Step({ step, open, loadImage, readItem, onCopy }: StepProps) {
  useClock();
  const tokens = step.blocks.reduce((sum, block) => sum + block.tokens, 0);
  const name = step.node === undefined ? parts[step.part] : `${parts[step.part]} ${step.node}`;
  return (
    <li>
      <details open={open} className="group/step overflow-hidden rounded-lg border border-line">
        <summary className={`${fold} bg-surface`}>
          <ChevronRight
            aria-hidden
            className="size-3.5 shrink-0 text-muted group-open/step:rotate-(--quarter-turn)"
          />
          <span className="readable min-w-0 grow font-medium wrap-anywhere">{name}</span>
          <span className="numbers shrink-0 text-xs text-muted">
            {formatTime(step.at)} · {text('shared.tokens', { count: tokens })}
          </span>
        </summary>
        <SourceLine step={step} />
        {step.blocks.map((block, at) => (
          <Block key={`${at} ${block.hash}`} block={block} onCopy={onCopy} />
        ))}
        {step.items && (
          <div className="border-t border-line px-2.5 pt-1.5 pb-2.5">
            <p className="text-xs text-muted">{text('inspector.sent.items')}</p>
            <SentItems items={step.items} readItem={readItem} />
          </div>
        )}
        {step.images && (
          <div className="border-t border-line">
            <ImageRows snapshot={step.snapshot} images={step.images} loadImage={loadImage} />
          </div>
        )}
        <Tools tools={step.tools} />
        <div className="flex justify-end border-t border-line px-1.5 py-1">
          <CopyButton text={wholeText(step)} what={text('inspector.copy.systemMessage')} onCopy={onCopy} />
        </div>
      </details>
    </li>
  );
}

/** The steps of an executed plan, each with the snapshot that it was bound to. */
function BoundSteps({ turn }: { readonly turn: Turn }) {
  const bound = turn.run?.nodes.filter(({ snapshot }) => snapshot !== undefined) ?? [];
  if (bound.length === 0) return null;
  return (
    <>
      <h3 className="mt-5 mb-1.5 text-xs font-medium text-muted">{text('inspector.sent.boundSteps')}</h3>
      <ul
        aria-label={text('inspector.sent.steps')}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {bound.map(({ id, snapshot = '' }) => (
          <li key={id} className="flex items-center gap-2 px-2.5 py-1.5 text-xs">
            <span className="readable min-w-0 grow font-mono wrap-anywhere">{id}</span>
            <code title={snapshot} className="readable font-mono text-muted">
              {snapshot.slice(0, 12)}
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Steps({
  steps,
  ...actions
}: Pick<StepProps, 'loadImage' | 'onCopy' | 'readItem'> & { readonly steps: readonly SentStepView[] }) {
  if (steps.length === 0) {
    return (
      <EmptyState icon={FileText} title={text('inspector.sent.noModel')}>
        {text('inspector.sent.handledHere')}
      </EmptyState>
    );
  }
  return (
    <ol aria-label={text('inspector.sent.calls')} className="flex flex-col gap-2">
      {steps.map((step, at) => (
        <Step key={`${at} ${step.at}`} step={step} open={at === steps.length - 1} {...actions} />
      ))}
    </ol>
  );
}

export interface SentTabProps {
  readonly turn: Turn;
  readonly loadSteps: (turn: number) => Promise<Result<readonly SentStepView[]>>;
  readonly loadImage: ImageRowsProps['loadImage'];
  readonly readItem: ReadItem;
  readonly onCopy: (text: string) => void;
}

/** The exact prompt that a past turn's model calls sent before the conversation. */
export function SentTab({ turn, loadSteps, ...actions }: SentTabProps) {
  const { turn: at, steps } = turn;
  const load = useCallback(() => loadSteps(at), [loadSteps, at]);
  const answer = useAnswer(load, steps?.length ?? 0);
  return (
    <div className="px-4 pt-2 pb-8">
      <p className="mb-2 text-sm text-muted">{text('inspector.sent.about', { turn: at + 1 })}</p>
      {answer && !answer.ok && <ErrorCard error={answer.error} />}
      {answer?.ok && <Steps steps={answer.value} {...actions} />}
      <BoundSteps turn={turn} />
    </div>
  );
}
