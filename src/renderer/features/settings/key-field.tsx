import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
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
    return <p className="text-xs text-muted">The key is encrypted with this system’s keychain.</p>;
  }
  return (
    <div className="rounded-lg border border-line bg-copper-soft px-3 py-2 text-sm">
      <p>{keychain.reason ?? 'This system offers no keychain.'} The key is kept until Patina closes.</p>
      <label className="mt-1.5 flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-copper-strong"
          checked={props.unprotected}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        Keep it anyway, unprotected, in a file only my account can read
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
        label="API key"
        type={visible ? 'text' : 'password'}
        autoFocus={autoFocus}
        hint={hint ?? 'Leave empty for a server that needs none.'}
        value={apiKey}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
        extra={
          <IconButton
            bare
            icon={visible ? EyeOff : Eye}
            label={visible ? 'Hide the key' : 'Show the key'}
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
