import type { AppInfo } from '#shared/ipc';
import { text } from '../../locales/text';
import { useMirror } from '../../store/app-context';

const notes = ['approval', 'sandbox', 'network'] as const;

function keysText(keychain: AppInfo['keychain'] | undefined): string {
  if (keychain?.available) return text('settings.security.keysEncrypted');
  return keychain?.reason ?? text('settings.security.keysUntilClose');
}

function agentModeText(agentMode: AppInfo['agentMode'] | undefined): string {
  if (agentMode?.enabled !== false) return text('settings.security.available');
  return agentMode.reason ?? text('shared.agentModeOff');
}

/** The active security measures, the storage of keys, and the version. */
export function SecuritySection() {
  const info = useMirror((mirror) => mirror.info);
  return (
    <>
      <dl className="flex flex-col gap-4 text-sm">
        {notes.map((note) => (
          <div key={note}>
            <dt className="font-medium">{text(`settings.security.${note}.title`)}</dt>
            <dd className="text-muted">{text(`settings.security.${note}.text`)}</dd>
          </div>
        ))}
        <div>
          <dt className="font-medium">{text('settings.security.keys')}</dt>
          <dd className="text-muted">{keysText(info?.keychain)}</dd>
        </div>
        <div>
          <dt className="font-medium">{text('shared.agentMode')}</dt>
          <dd className="text-muted">{agentModeText(info?.agentMode)}</dd>
        </div>
      </dl>
      <p className="numbers readable border-t border-line pt-4 text-xs text-muted">
        {info && text('settings.security.version', { version: info.version, platform: info.platform })}
      </p>
    </>
  );
}
