import type { Notice } from '#shared/notice';
import { CircleAlert, Info, LoaderCircle, TriangleAlert, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';

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
    <li className={classNames('flex items-start gap-2.5 border-b border-line py-2 pr-2 pl-4', tone)}>
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
