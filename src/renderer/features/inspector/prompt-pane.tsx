import type { Turn } from '#shared/session-state';
import type { InspectorProps } from '../../store/turn-actions';
import { PromptTab } from './prompt-tab';
import { SentTab } from './sent-tab';

const item =
  'numbers h-6 rounded-sm px-2 text-xs font-medium text-muted hover:text-text aria-pressed:bg-canvas aria-pressed:text-text aria-pressed:shadow-raised';

export interface PromptPaneProps extends Pick<
  InspectorProps,
  'loadPrompt' | 'loadSteps' | 'loadImage' | 'onCopy' | 'onTurn'
> {
  /** The turn that is asked about; without it, what would be sent next. */
  readonly turn: Turn | undefined;
  /** The newest turn a model was asked in. */
  readonly newest: Turn | undefined;
}

/** What the model would be sent next, or what it was sent for a past turn. */
export function PromptPane({ turn, newest, onTurn, loadPrompt, ...rest }: PromptPaneProps) {
  const past = turn ?? newest;
  return (
    <>
      {past && (
        <div className="px-4 pt-3">
          <div role="group" aria-label="Which prompt" className="flex w-fit rounded-md bg-active p-0.5">
            <button type="button" aria-pressed={!turn} className={item} onClick={() => onTurn(null)}>
              Next line
            </button>
            <button type="button" aria-pressed={!!turn} className={item} onClick={() => onTurn(past.turn)}>
              Turn {past.turn + 1}, as sent
            </button>
          </div>
        </div>
      )}
      {turn ? (
        <SentTab key={turn.turn} turn={turn} {...rest} />
      ) : (
        <PromptTab loadPrompt={loadPrompt} {...rest} />
      )}
    </>
  );
}
