import { isUnlisted, offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';
import { lastModelOf } from '#shared/turn-tree';
import { ChevronDown, TriangleAlert, WifiOff } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useEffect, useRef } from 'react';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useApp, useCurrentSession, useMirror, useView } from '../../store/app-context';
import { chooseModel, isFromVariable, isMissing, modelLabel } from '../../store/choose-model';
import { Tooltip } from '../../ui/tooltip';
import { ModelPanel } from './model-panel';

/** Why the model may not answer, and what to do. */
function problemOf(current: ModelRef, models: readonly ProviderModels[]): string | null {
  const { providerId, model } = current;
  if (isMissing(current, models)) return text('composer.models.missing', { provider: providerId });
  return isUnlisted(current, models)
    ? text('composer.models.unlisted', { provider: providerId, model })
    : null;
}

/** What the model's button does, or why the model is this one. */
function hintOf(current: ModelRef, models: readonly ProviderModels[]): string {
  return text(isFromVariable(current, models) ? 'shared.modelFromVariable' : 'composer.models.model');
}

/** Selects the model for the next line. */
export function ModelPicker() {
  const { view } = useApp();
  const open = useView((state) => state.modelPickerOpen);
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const last = useCurrentSession((session) => (session ? lastModelOf(session) : undefined));
  const current = chooseModel(chosen, models, last);
  const problem = problemOf(current, models);
  const model = modelLabel(current);
  const modelFor = useView((state) => state.modelFor);
  // The turn is unknown again once the list closes.
  const turn = useRef(modelFor);
  useEffect(() => {
    if (open) turn.current = modelFor;
  }, [open, modelFor]);
  const focusTurn = (event: Event) => {
    const button = document.querySelector<HTMLElement>(`[data-turn="${turn.current}"] [data-other-model]`);
    // A click elsewhere has moved the focus already; otherwise it would go to the button of this list.
    if (!button || document.activeElement !== document.body) return;
    event.preventDefault();
    button.focus();
  };
  const setOpen = (modelPickerOpen: boolean) => view.set({ modelPickerOpen, modelFor: null });
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Tooltip side="top" text={problem ?? hintOf(current, models)} keys={useKeysOf('choose-model')}>
        <Popover.Trigger
          aria-label={
            problem !== null
              ? text('composer.models.currentMissing', { model, problem })
              : text('composer.models.current', { model })
          }
          className="flex h-7 min-w-0 items-center gap-1.5 rounded-md px-2 text-xs font-medium text-muted transition-colors hover:bg-hover hover:text-text aria-expanded:bg-active aria-expanded:text-text"
        >
          {current.providerId === offlineProviderId && <WifiOff aria-hidden size={13} className="shrink-0" />}
          {problem !== null && <TriangleAlert aria-hidden size={13} className="shrink-0 text-copper-text" />}
          <span className="max-w-52 truncate">{model}</span>
          {problem !== null && (
            <span className="text-copper-text">
              {text(
                isMissing(current, models) ? 'composer.models.notAvailable' : 'composer.models.notListed',
              )}
            </span>
          )}
          <ChevronDown aria-hidden size={13} className="shrink-0" />
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={8}
          aria-label={text('composer.models.choose')}
          onCloseAutoFocus={focusTurn}
          className="z-50 w-[28rem] max-w-[calc(100vw-1rem)] animate-appear overflow-hidden rounded-lg bg-overlay text-sm shadow-overlay outline-none"
        >
          <ModelPanel current={current} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
