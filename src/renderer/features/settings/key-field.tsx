import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useMirror } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { TextField } from '../../ui/text-field';

/** Says where the key will be stored; without a keychain, the user must confirm storing it. */
function KeyPlace(props: {
  readonly unprotected: boolean;
  readonly onChange: (unprotected: boolean) => void;
}) {
  const keychain = useMirror((mirror) => mirror.info?.keychain);
  if (!keychain || keychain.available) {
    return <p className="text-xs text-muted">{text('settings.key.encrypted')}</p>;
  }
  return (
    <div className="rounded-lg border border-line bg-copper-soft px-3 py-2 text-sm">
      <p>{text('settings.key.untilClose', { reason: keychain.reason ?? text('settings.key.noKeychain') })}</p>
      <label className="mt-1.5 flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-copper-strong"
          checked={props.unprotected}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        {text('settings.key.saveUnprotected')}
      </label>
    </div>
  );
}

export interface KeyFieldProps {
  readonly autoFocus?: boolean;
  readonly hint?: string;
  readonly apiKey: string;
  readonly unprotected: boolean;
  readonly onChange: (patch: { readonly key?: string; readonly unprotected?: boolean }) => void;
}

/** An API key: hidden unless the user reveals it, with its storage location. */
export function KeyField({ autoFocus, hint, apiKey, unprotected, onChange }: KeyFieldProps) {
  const [visible, setVisible] = useState(false);
  return (
    <>
      <TextField
        label={text('settings.key.label')}
        type={visible ? 'text' : 'password'}
        autoFocus={autoFocus}
        hint={hint ?? text('settings.key.optional')}
        value={apiKey}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
        extra={
          <IconButton
            bare
            icon={visible ? EyeOff : Eye}
            label={text(visible ? 'settings.key.hide' : 'settings.key.show')}
            onClick={() => setVisible(!visible)}
          />
        }
      />
      {apiKey.trim() !== '' && (
        <KeyPlace unprotected={unprotected} onChange={(choice) => onChange({ unprotected: choice })} />
      )}
    </>
  );
}
