import type { ApplyWhen } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useId, useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { applyTimes } from './workspace-labels';

export interface ApplyChoiceProps {
  readonly view: WorkspaceView;
  /** The time already requested. */
  readonly requested?: ApplyWhen | undefined;
  readonly label: string;
  readonly disabled: boolean;
  readonly onApply: (when: ApplyWhen) => void;
  readonly onCancel?: () => void;
}

/** Asks when to use a version; shows what each choice would do now. */
export function ApplyChoice({ view, requested, label, disabled, onApply, onCancel }: ApplyChoiceProps) {
  const name = useId();
  const [when, setWhen] = useState<ApplyWhen>(requested ?? 'next_run');
  return (
    <div className="flex flex-col gap-2.5">
      {view.sessionId === null ? (
        <p className="text-xs text-muted">{view.applyEffects.next_run}</p>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">{text('workspace.when.label')}</legend>
          {applyTimes.map((choice) => (
            <label key={choice} className="flex items-start gap-2 text-sm">
              <input
                type="radio"
                name={name}
                value={choice}
                checked={when === choice}
                className="mt-1 accent-accent"
                onChange={() => setWhen(choice)}
              />
              <span className="min-w-0">
                <span className="block">{text(`workspace.when.${choice}`)}</span>
                <span className="block text-xs text-muted">{view.applyEffects[choice]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="flex gap-2">
        <Button tone="primary" disabled={disabled || requested === when} onClick={() => onApply(when)}>
          {label}
        </Button>
        {onCancel && (
          <Button tone="quiet" onClick={onCancel}>
            {text('workspace.apply.keepActive')}
          </Button>
        )}
      </div>
    </div>
  );
}
