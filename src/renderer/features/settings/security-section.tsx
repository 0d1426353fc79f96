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

interface FactsProps {
  /** The title and the text of each. */
  readonly facts: readonly (readonly [string, string])[];
}

function Facts({ facts }: FactsProps) {
  return (
    <dl className="readable flex flex-col gap-4 text-sm">
      {facts.map(([title, fact]) => (
        <div key={title}>
          <dt className="font-medium">{title}</dt>
          <dd className="text-muted">{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The active security measures, and the storage of keys. */
export function SecuritySection() {
  const info = useMirror((mirror) => mirror.info);
  const measures = notes.map(
    (note) => [text(`settings.security.${note}.title`), text(`settings.security.${note}.text`)] as const,
  );
  return (
    <Facts
      facts={[
        ...measures,
        [text('settings.security.keys'), keysText(info?.keychain)],
        [text('shared.agentMode'), agentModeText(info?.agentMode)],
      ]}
    />
  );
}

/** The version, where a newer one comes from, and the licences. */
export function AboutSection() {
  const info = useMirror((mirror) => mirror.info);
  const { version = '', platform = '' } = info ?? {};
  return (
    <Facts
      facts={[
        [text('settings.about.version'), text('settings.about.versionOf', { version, platform })],
        [text('settings.about.newer'), text('settings.about.newerText')],
        [text('settings.about.licence'), text('settings.about.licenceText')],
      ]}
    />
  );
}
