import type { Notice } from '#shared/notice';
import { CircleAlert, Info, LoaderCircle, TriangleAlert, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useMirror, useView } from '../../store/app-context';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { describeError } from '../../ui/error-text';
import { IconButton } from '../../ui/icon-button';
import { useEffect, useState } from 'react';
import type { Toast } from '../../store/view-state';

const looks = {
  info: { icon: Info, tone: 'bg-surface', ink: 'text-muted' },
  warning: { icon: TriangleAlert, tone: 'bg-copper-soft', ink: 'text-copper-text' },
  error: { icon: CircleAlert, tone: 'bg-danger-soft', ink: 'text-danger-text' },
} as const;

function NoticeRow({ notice }: { readonly notice: Notice }) {
  const { commands, view } = useApp();
  const { section } = notice;
  const { icon, tone, ink } = looks[notice.level];
  const busy = notice.effect === 'busy';
  const Icon = busy ? LoaderCircle : icon;
  // The notice reports an ongoing state that dismissing it would not end.
  const ongoing = busy || notice.effect === 'sending-off';
  return (
    <li className={classNames('flex items-start gap-2.5 border-b border-line py-2 pe-2 ps-4', tone)}>
      <Icon
        aria-label={busy ? text('notices.running') : text(`notices.level.${notice.level}`)}
        size={16}
        className={classNames('mt-0.5 shrink-0', ink, busy && 'animate-spin')}
      />
      <div className="readable min-w-0 flex-1 text-sm">
        <span className="font-medium">{notice.title}</span>{' '}
        <span className="break-words text-muted">
          {notice.detail} {notice.hint}
        </span>
      </div>
      {notice.effect === 'restart' && (
        <Button onClick={() => void commands.restartWithout([])}>{text('notices.restart')}</Button>
      )}
      {section && (
        <Button onClick={() => view.set({ dialog: { kind: 'settings', section } })}>
          {text('notices.look')}
        </Button>
      )}
      {!ongoing && (
        <IconButton
          icon={X}
          label={text('notices.dismissNotice')}
          className="-my-1"
          onClick={() => void commands.dismissNotice(notice.id)}
        />
      )}
    </li>
  );
}

/** Notices that belong to no session; each stays until the user dismisses it. */
export function Notices() {
  const notices = useMirror((mirror) => mirror.notices);
  if (notices.length === 0) return null;
  return (
    <section aria-label={text('notices.list')} className="max-h-48 shrink-0 overflow-y-auto">
      <ul>
        {notices.map((notice) => (
          <NoticeRow key={notice.id} notice={notice} />
        ))}
      </ul>
    </section>
  );
}

/** Long enough to read and to reach with the mouse. */
const toastMs = 6_000;

function ToastRow({ toast }: { readonly toast: Toast }) {
  const { view } = useApp();
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (paused) return;
    const timer = setTimeout(() => view.dismissToast(toast.id), toastMs);
    return () => clearTimeout(timer);
  }, [paused, toast.id, view]);
  return (
    <li
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="pointer-events-auto flex animate-appear items-center gap-1 rounded-lg bg-overlay py-1 pe-1 ps-3 text-sm shadow-overlay"
    >
      <span>{toast.text}</span>
      {toast.action && (
        <button
          type="button"
          className="h-7 rounded-md px-2 font-medium text-accent-text hover:bg-hover"
          onClick={() => {
            toast.action?.run();
            view.dismissToast(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      <IconButton icon={X} label={text('notices.dismiss')} onClick={() => view.dismissToast(toast.id)} />
    </li>
  );
}

/** Temporary messages above the composer and the button that jumps to the latest turn. The live region announces them; this list is visual only. */
export function Toasts() {
  const toasts = useView((view) => view.toasts);
  if (toasts.length === 0) return null;
  return (
    <section
      aria-label={text('notices.messages')}
      className="pointer-events-none fixed inset-x-0 bottom-52 z-40"
    >
      <ul className="flex flex-col items-center gap-2">
        {toasts.map((toast) => (
          <ToastRow key={toast.id} toast={toast} />
        ))}
      </ul>
    </section>
  );
}

/** A failed call: the attempted action, the reason for the failure, and what to do next. */
export function FailureCard() {
  const { view } = useApp();
  const failure = useView((state) => state.failure);
  if (!failure) return null;
  const { title, error } = failure;
  const modelTrouble = error.kind === 'LLM' && error.code !== 'CONTEXT_LIMIT';
  return (
    <section
      role="alert"
      className="mb-2 flex animate-appear items-start gap-3 rounded-lg border border-line bg-danger-soft py-2.5 pe-2 ps-3"
    >
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-danger-text" />
      <div className="readable min-w-0 flex-1 text-sm">
        <p className="font-medium">{title}</p>
        <p className="break-words text-muted">
          {error.message} {describeError(error).next}
        </p>
        {error.problems?.map((problem) => (
          <p key={`${problem.file} ${problem.field}`} className="break-words text-muted">
            <code className="font-mono text-xs">
              {problem.file}: {problem.field}
            </code>{' '}
            {problem.reason}
          </p>
        ))}
        <p className="mt-1 font-mono text-2xs text-muted">
          {error.kind}/{error.code}
        </p>
      </div>
      {modelTrouble && (
        <Button onClick={() => view.set({ dialog: { kind: 'settings', section: 'models' } })}>
          {text('notices.modelSettings')}
        </Button>
      )}
      <IconButton icon={X} label={text('notices.dismiss')} onClick={() => view.set({ failure: null })} />
    </section>
  );
}
