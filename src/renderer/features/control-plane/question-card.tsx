import type { QuestionState } from '#shared/session-state';
import { CircleCheck, CircleHelp, CircleSlash, Sparkles } from 'lucide-react';
import { useEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { CallArguments } from '../../ui/call-arguments';
import { DiffHunks, type DiffHunk } from '../../ui/diff-hunks';
import { isKeyboardInUse } from '../../ui/keyboard-in-use';
import { EntityName } from '../../ui/entity-name';
import { shortText } from '../../ui/short-text';
import { outcomeText, primaryOption } from './route-text';

/** Ignore Enter for 600 ms so that a stray keystroke cannot approve. Milliseconds. */
const enterGuardMs = 600;
const shownText = 600;
/**
 * The user must see everything to approve: a long detail scrolls and is never cut before a part that matters.
 */
const shownDetail = 40_000;
const framesTried = 12;

/** A question and its outcome, in one line. */
function EndedQuestion({ question }: { readonly question: QuestionState }) {
  const Icon = question.status === 'answered' ? CircleCheck : CircleSlash;
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <span dir="auto">{shortText(question.text, shownText)}</span>{' '}
        <EntityName text={outcomeText(question)} className="text-text" />
      </span>
    </p>
  );
}

interface OptionsProps {
  readonly question: QuestionState;
  readonly onAnswer: (option: string) => void;
}

/** The answers, with the plain yes last, at the right. */
function Options({ question, onAnswer }: OptionsProps) {
  const primary = primaryOption(question);
  // With a plain yes, the way out is at the other end; choices keep their own order.
  const ordered = primary === undefined ? question.options : question.options.toReversed();
  const others = ordered.filter((option) => option !== primary);
  return (
    <div className="mt-2.5 flex flex-wrap items-center justify-end gap-2">
      {others.map((option, at) => (
        <Button key={`${at} ${option}`} className="max-w-full" onClick={() => onAnswer(option)}>
          <EntityName text={option} className="truncate" />
        </Button>
      ))}
      {primary !== undefined && (
        <Button tone="primary" className="max-w-full" onClick={() => onAnswer(primary)}>
          <EntityName text={primary} className="truncate" />
        </Button>
      )}
    </div>
  );
}

/**
 * Focuses the card once it is visible: a list row stays hidden until it is measured and cannot take the focus
 * before. Returns the function that cancels.
 */
function focusOnceShown(card: RefObject<HTMLElement | null>): () => void {
  let frame = 0;
  const attempt = (left: number) => {
    card.current?.focus({ preventScroll: true });
    if (left > 0 && document.activeElement !== card.current && !isKeyboardInUse()) {
      frame = requestAnimationFrame(() => attempt(left - 1));
    }
  };
  attempt(framesTried);
  return () => cancelAnimationFrame(frame);
}

/** The effect of a yes: in words, line by line, or as the exact call. */
function Detail({ question: { detail, detailForm, call } }: Pick<OptionsProps, 'question'>) {
  return (
    <>
      {detail !== undefined && detailForm === 'difference' && <DifferenceText difference={detail} />}
      {detail !== undefined && detailForm !== 'difference' && (
        <p
          dir="auto"
          className="mt-0.5 max-h-60 overflow-y-auto text-sm whitespace-pre-wrap text-muted wrap-anywhere"
        >
          {shortText(detail, shownDetail)}
        </p>
      )}
      {call && (
        <>
          <p className="mt-1 font-mono text-sm wrap-anywhere">{call.tool}</p>
          <CallArguments value={call.arguments} />
        </>
      )}
    </>
  );
}

type DiffLine = DiffHunk['lines'][number];
const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed' };

/** A diff as shown everywhere; each line begins with a sign. */
function DifferenceText({ difference }: { readonly difference: string }) {
  const lines = shortText(difference, shownDetail)
    .split('\n')
    .map((line): DiffLine => ({ kind: kinds[line.slice(0, 1)] ?? 'same', text: line.slice(2) }));
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={text('controlPlane.question.difference')}
      className="mt-1.5 max-h-72 overflow-auto rounded-md border border-line bg-surface"
    >
      <DiffHunks hunks={[{ lines }]} />
    </div>
  );
}

function OpenQuestion({ question, onAnswer }: OptionsProps) {
  const { view } = useApp();
  const card = useRef<HTMLElement>(null);
  const shownAt = useRef(0);
  useEffect(() => {
    shownAt.current = performance.now();
    return isKeyboardInUse() ? undefined : focusOnceShown(card);
  }, [question.questionId]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== card.current) return;
    const primary = primaryOption(question);
    const isPrintable = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    // The next line can also answer: typing moves the focus to the composer.
    if (isPrintable || event.key === 'Escape') return view.focusComposer();
    if (event.key !== 'Enter' || primary === undefined) return undefined;
    event.preventDefault();
    if (performance.now() - shownAt.current > enterGuardMs) onAnswer(primary);
    return undefined;
  };
  const Icon = question.asker === 'model' ? Sparkles : CircleHelp;
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={text('controlPlane.question.name', { question: shortText(question.text, 200) })}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3 focus:outline-2 focus:outline-offset-1 focus:outline-copper"
      onKeyDown={onKeyDown}
    >
      <div className="flex items-start gap-2.5">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="readable min-w-0 grow">
          {question.asker === 'model' && (
            <p className="text-xs text-muted">{text('controlPlane.question.byModel')}</p>
          )}
          <p dir="auto" className="text-base font-medium wrap-anywhere">
            {shortText(question.text, shownText)}
          </p>
          <Detail question={question} />
          {question.asked > 1 && (
            <p className="mt-0.5 text-sm text-muted">{text('controlPlane.question.unclear')}</p>
          )}
        </div>
      </div>
      <Options question={question} onAnswer={onAnswer} />
    </section>
  );
}

export interface QuestionCardProps {
  readonly turn: number;
  readonly question: QuestionState;
}

/**
 * A question of the host: the proposed action, and the answers as buttons. Enter says yes, Escape leaves it
 * open.
 */
export function QuestionCard({ turn, question }: QuestionCardProps) {
  const { commands } = useApp();
  if (question.status !== 'open') return <EndedQuestion question={question} />;
  return (
    <OpenQuestion
      question={question}
      onAnswer={(option) => void commands.answerQuestion(turn, question.questionId, option)}
    />
  );
}
