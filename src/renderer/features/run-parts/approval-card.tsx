import { CircleHelp, ShieldQuestion } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { z } from 'zod';
import { visibleControls } from '#shared/direction-controls';
import type { ApprovalDecision } from '#shared/approval';
import type { GrantRequest } from '#shared/grant';
import { isObject } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { useCardDraft, useIsTyped } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
import { Button } from '../../ui/button';
import { isKeyboardInUse } from '../../ui/keyboard-in-use';
import { CallDetails, CallTitle, type EditApproval } from './approval-call';
import { ApprovalList, callName } from './approval-list';
import { ApprovalScope } from './approval-scope';
import { ArgumentForm } from './argument-form';
import {
  CardChoices,
  firstChoices,
  grantRequestOf,
  scopesFor,
  type AnswerScope,
  type CoverageChoice,
} from './grant-request';

/** Ignore Enter for 600 ms so that a stray keystroke cannot approve a write. Milliseconds. */
const enterGuardMs = 600;

export interface ApprovalCardProps {
  /** Calls that one card asks about together; at least one. */
  readonly approvals: readonly ApprovalState[];
  /** The titles of the nodes that ask, by id, in the order of the plan. */
  readonly steps: ReadonlyMap<string, string>;
  /** A model planned the run, so the user can say what to do instead. */
  readonly planned?: boolean;
  readonly onAnswer: (answers: readonly ApprovalDecision[], grant?: GrantRequest) => void;
  readonly onEdit?: EditApproval;
}

/** Applies the focus rules of a card that needs the user; returns when it appeared. */
function useCardFocus(key: string) {
  const card = useRef<HTMLElement>(null);
  const shownAt = useRef(0);
  useEffect(() => {
    shownAt.current = performance.now();
    if (!isKeyboardInUse()) card.current?.focus({ preventScroll: true });
  }, [key]);
  return { card, shownAt };
}

/** A question that the plan itself asks, not a permission for a call. */
const isQuestion = ({ tool }: ApprovalState): boolean => tool === 'request_user_approval';

function headText(count: number, question: boolean): string {
  if (question) return text('runParts.approval.question');
  return text(count === 1 ? 'runParts.approval.one' : 'runParts.approval.many', { count });
}

function Head({ title, count, question }: { title: string; count: number; question: boolean }) {
  const Icon = question ? CircleHelp : ShieldQuestion;
  return (
    <div className="flex items-start gap-2.5">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
      <div className="min-w-0 grow">
        <p className="text-base font-medium">{visibleControls(title)}</p>
        <p className="text-sm text-muted">{headText(count, question)}</p>
      </div>
    </div>
  );
}

/** The choices on a card, and the answer that results from them. */
function useAnswer({ approvals, onAnswer }: Pick<ApprovalCardProps, 'approvals' | 'onAnswer'>) {
  const card = draftCards.choices(approvals[0]?.approvalId ?? '');
  const { value: choices, type } = useCardDraft(card, CardChoices, () => firstChoices);
  const { coverage } = choices;
  const left = useMemo(() => new Set(choices.left), [choices.left]);
  const chosen = approvals.filter(({ approvalId }) => !left.has(approvalId));
  const subjects = chosen.length > 0 ? chosen : approvals;
  // A tick can bring back a call that cannot be approved ahead.
  const scope = scopesFor(subjects).includes(choices.scope) ? choices.scope : 'once';
  const mayApprove = chosen.length > 0 && scope !== 'never';
  const answer = (approved: boolean, instead?: string): void => {
    if (approved && !mayApprove) return;
    const answers = approvals.map(({ approvalId, hash }) => ({
      approvalId,
      hash,
      approved: approved && !left.has(approvalId),
      ...(instead !== undefined && { said: instead }),
    }));
    // A no without "never" applies to these calls only, and so does a no with other words.
    const isSaved = instead === undefined && approved === (scope !== 'never');
    const grant = isSaved ? grantRequestOf(scope, coverage, chosen) : undefined;
    if (grant) onAnswer(answers, grant);
    else onAnswer(answers);
  };
  const choose = (ids: readonly string[], wanted: boolean): void => {
    const next = new Set(left);
    for (const id of ids) {
      if (wanted) next.delete(id);
      else next.add(id);
    }
    type({ ...choices, left: [...next] });
  };
  return {
    left,
    chosen,
    subjects,
    scope,
    coverage,
    mayApprove,
    answer,
    choose,
    setScope: (next: AnswerScope) => type({ ...choices, scope: next }),
    setCoverage: (next: CoverageChoice) => type({ ...choices, coverage: next }),
  };
}

/** Whether the user says what to do instead, and the name of the draft of these words. */
function useInstead([first]: readonly ApprovalState[]) {
  const card = draftCards.instead(first?.approvalId ?? '');
  const isTyped = useIsTyped();
  const [open, setOpen] = useState(() => isTyped(card));
  return { card, open, setOpen };
}

interface InsteadProps {
  /** The name of its draft. */
  readonly card: string;
  readonly onSay: (instead: string) => void;
  readonly onCancel: () => void;
}

/** The words that a model receives instead of an approval. */
function Instead({ card, onSay, onCancel }: InsteadProps) {
  const { value: instead, restored, type, drop } = useCardDraft(card, z.string(), () => '');
  const message = instead.trim();
  const say = (): void => {
    if (message === '') return;
    drop();
    onSay(message);
  };
  const cancel = (): void => {
    drop();
    onCancel();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') return message === '' ? cancel() : undefined;
    event.stopPropagation();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    say();
  };
  return (
    <div className="mt-2.5">
      <textarea
        autoFocus={!restored}
        rows={2}
        aria-label={text('runParts.instead.name')}
        placeholder={text('runParts.instead.placeholder')}
        maxLength={8_000}
        value={instead}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        className="readable block w-full resize-y rounded-md border border-line-strong bg-canvas px-3 py-2 text-sm outline-none focus:border-accent"
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button tone="quiet" onClick={cancel}>
          {text('runParts.instead.back')}
        </Button>
        <Button tone="primary" disabled={message === ''} onClick={say}>
          {text('runParts.instead.send')}
        </Button>
      </div>
    </div>
  );
}

/** What an answer is about: the only call, else the steps that ask. */
function subjectOf(approvals: readonly ApprovalState[], title: string): string {
  const [only, ...others] = approvals;
  return only && others.length === 0 && !isQuestion(only) ? callName(only) : title;
}

interface AnswersProps {
  /** What the answer is about: the call, or the steps that ask. */
  readonly what: string;
  readonly count: number;
  readonly chosen: number;
  readonly question: boolean;
  readonly scope: AnswerScope;
  readonly mayApprove: boolean;
  readonly onAnswer: (approved: boolean) => void;
  readonly onInstead?: () => void;
}

function labelsOf({ count, chosen, question, scope }: AnswersProps) {
  if (question) return { yes: text('runParts.approval.yes'), no: text('runParts.approval.no') };
  const isSaved = scope !== 'once' && scope !== 'never';
  const approve = text(count > 1 ? 'runParts.approval.approveSome' : 'runParts.approval.approve', {
    chosen,
    count,
  });
  const deny = text(count > 1 ? 'runParts.approval.denyAll' : 'runParts.approval.deny');
  return {
    yes: isSaved ? text('runParts.approval.remember', { approve }) : approve,
    no: scope === 'never' ? text('runParts.approval.permanently', { deny }) : deny,
  };
}

function Answers(props: AnswersProps) {
  const { scope, mayApprove, onAnswer, onInstead } = props;
  const { yes, no } = labelsOf(props);
  const named = (answer: string) => text('runParts.approval.answer', { answer, what: props.what });
  return (
    <div className="mt-2.5 flex flex-wrap items-center justify-end gap-2">
      {onInstead && (
        <Button tone="quiet" aria-label={named(text('runParts.instead.open'))} onClick={onInstead}>
          {text('runParts.instead.open')}
        </Button>
      )}
      <Button
        tone={scope === 'never' ? 'danger' : 'plain'}
        aria-label={named(no)}
        onClick={() => onAnswer(false)}
      >
        {no}
      </Button>
      <Button tone="primary" aria-label={named(yes)} disabled={!mayApprove} onClick={() => onAnswer(true)}>
        {yes}
      </Button>
    </div>
  );
}

/** What the plan asks, and the values that it shows. */
function Question({ approval }: { readonly approval: ApprovalState }) {
  const args = isObject(approval.arguments) ? approval.arguments : {};
  const { action, arguments: params = null, inputs = null } = args;
  const answers = isObject(params) ? params : inputs;
  const shown = isObject(answers) ? answers : {};
  return (
    <>
      <p className="readable mt-2 text-base whitespace-pre-wrap wrap-anywhere">
        {typeof action === 'string' ? visibleControls(action) : ''}
      </p>
      {Object.keys(shown).length > 0 && <ArgumentForm approval={{ ...approval, arguments: shown }} />}
    </>
  );
}

function Calls(props: {
  readonly card: Pick<ApprovalCardProps, 'approvals' | 'steps' | 'onEdit'>;
  readonly left: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], chosen: boolean) => void;
  readonly onEnter: () => void;
}) {
  const { card, left, onChoose, onEnter } = props;
  const { approvals, steps, onEdit } = card;
  const [first] = approvals;
  if (!first) return null;
  if (isQuestion(first)) return <Question approval={first} />;
  const editing = onEdit && { onEdit };
  if (approvals.length > 1) {
    return (
      <ApprovalList
        approvals={approvals}
        left={left}
        onChoose={onChoose}
        onEnter={onEnter}
        {...(steps.size > 1 && { steps })}
        {...editing}
      />
    );
  }
  return (
    <div className="mt-2">
      <CallTitle approval={first} />
      <CallDetails approval={first} {...editing} />
    </div>
  );
}

/**
 * Pending writes with what they change. Enter approves while the card itself has the focus and its answers are shown;
 * Esc leaves a field, then the card, and drops nothing.
 */
export function ApprovalCard({ approvals, steps, planned = false, onAnswer, onEdit }: ApprovalCardProps) {
  const [first] = approvals;
  const { card, shownAt } = useCardFocus(first?.card ?? first?.approvalId ?? '');
  const instead = useInstead(approvals);
  const title = [...steps.values()].join(' · ');
  const state = useAnswer({ approvals, onAnswer });
  const { left, chosen, subjects, scope, coverage, mayApprove, answer } = state;
  const approve = (): void => {
    if (!instead.open && performance.now() - shownAt.current > enterGuardMs) answer(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const inside = event.target !== card.current;
    if (event.key === 'Enter' && !inside) approve();
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    // Escape also stops a run: here it only leaves a field, and then the card.
    event.preventDefault();
    if (inside) card.current?.focus({ preventScroll: true });
    else card.current?.blur();
  };
  const question = approvals.some(isQuestion);
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      data-question=""
      aria-label={text(question ? 'runParts.approval.questionName' : 'runParts.approval.name', { title })}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3 focus:outline-2 focus:outline-offset-1 focus:outline-copper"
      onKeyDown={onKeyDown}
    >
      <Head title={title} count={approvals.length} question={question} />
      <Calls
        card={{ approvals, steps, ...(onEdit && { onEdit }) }}
        left={left}
        onChoose={state.choose}
        onEnter={approve}
      />
      <ApprovalScope
        approvals={subjects}
        scope={scope}
        coverage={coverage}
        onScope={state.setScope}
        onCoverage={state.setCoverage}
      />
      {instead.open ? (
        <Instead
          card={instead.card}
          onSay={(message) => answer(false, message)}
          onCancel={() => {
            instead.setOpen(false);
            card.current?.focus({ preventScroll: true });
          }}
        />
      ) : (
        <Answers
          what={subjectOf(approvals, title)}
          scope={scope}
          question={question}
          mayApprove={mayApprove}
          count={approvals.length}
          chosen={chosen.length}
          onAnswer={answer}
          {...(planned && { onInstead: () => instead.setOpen(true) })}
        />
      )}
    </section>
  );
}
