import type { ApplyWhen } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useId, useState } from 'react';
import { Button } from '../../ui/button';
import { whenNames } from './workspace-labels';

const choices = Object.keys(whenNames) as readonly ApplyWhen[];

export interface ApplyChoiceProps {
  readonly view: WorkspaceView;
  /** The moment already requested. */
  readonly asked?: ApplyWhen | undefined;
  readonly label: string;
  readonly disabled: boolean;
  readonly onApply: (when: ApplyWhen) => void;
  readonly onCancel?: () => void;
}

/** The moments at which a snapshot can be adopted, each with its current effect. */
export function ApplyChoice({ view, asked, label, disabled, onApply, onCancel }: ApplyChoiceProps) {
  const name = useId();
  const [when, setWhen] = useState<ApplyWhen>(asked ?? 'next_run');
  return (
    <div className="flex flex-col gap-2.5">
      {view.sessionId === null ? (
        <p className="text-xs text-muted">{view.applyEffects.next_run}</p>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">When to apply</legend>
          {choices.map((choice) => (
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
                <span className="block">{whenNames[choice]}</span>
                <span className="block text-xs text-muted">{view.applyEffects[choice]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="flex gap-2">
        <Button
          tone="primary"
          disabled={disabled || (asked !== undefined && asked === when)}
          onClick={() => onApply(when)}
        >
          {label}
        </Button>
        {onCancel && (
          <Button tone="quiet" onClick={onCancel}>
            Keep what is active
          </Button>
        )}
      </div>
    </div>
  );
}
