import type { AppInfo } from '#shared/ipc';
import { useMirror } from '../../store/app-context';

const notes = [
  {
    title: 'Agent Mode asks before it writes',
    text: 'A script reaches the outside only through tools, and every call passes one gate. A call that changes something shows its exact arguments and waits for you.',
  },
  {
    title: 'Scripts run in a sandbox',
    text: 'Each step runs in a process of its own without files, network or clock, with limits on time and memory. On Linux the kernel enforces this as well; on macOS and Windows it does not.',
  },
  {
    title: 'Nothing is loaded from the network by a message',
    text: 'Replies are drawn as text: no HTML, no remote images. A link shows its whole address before it opens in your browser.',
  },
] as const;

function keysText(keychain: AppInfo['keychain'] | undefined): string {
  if (keychain?.available) {
    return 'API keys are encrypted with a key from this system’s keychain and never reach this window again.';
  }
  return keychain?.reason ?? 'This system offers no keychain: keys are kept until Patina closes.';
}

function agentModeText(agentMode: AppInfo['agentMode'] | undefined): string {
  if (agentMode?.enabled !== false) return 'Available.';
  return agentMode.reason ?? 'Switched off.';
}

/** The active security measures, the storage of keys, and the version. */
export function SecuritySection() {
  const info = useMirror((mirror) => mirror.info);
  return (
    <>
      <dl className="flex flex-col gap-4 text-sm">
        {notes.map(({ title, text }) => (
          <div key={title}>
            <dt className="font-medium">{title}</dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
        <div>
          <dt className="font-medium">Keys</dt>
          <dd className="text-muted">{keysText(info?.keychain)}</dd>
        </div>
        <div>
          <dt className="font-medium">Agent Mode</dt>
          <dd className="text-muted">{agentModeText(info?.agentMode)}</dd>
        </div>
      </dl>
      <p className="numbers readable border-t border-line pt-4 text-xs text-muted">
        Patina {info?.version} · {info?.platform}
      </p>
    </>
  );
}
