import { contextTokensOf, type ModelRef } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import { Popover } from 'radix-ui';
import { useDeferredValue, useMemo } from 'react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror, useView } from '../../store/app-context';
import { chooseModel, modelLabel } from '../../store/choose-model';
import { newSessionDraft } from '../../store/drafts';
import { conversationTokens, draftTokens } from '../../store/session-view';
import { Button } from '../../ui/button';
import { ContextRing } from './context-ring';
import { NumberField } from '../../ui/number-field';
import { formatShort } from '../../ui/format';

interface ContextOfModel {
  readonly model: ModelRef;
  /** The size that the user set. */
  readonly own: number | undefined;
  readonly size: number | undefined;
}

/** The model of the next line, and the size of its context: the user's own number first. */
function useContextOfModel(): ContextOfModel {
  const models = useMirror((mirror) => mirror.models);
  const settings = useMirror((mirror) => mirror.settings);
  const model = chooseModel(settings.model, models);
  const own = settings.modelOptions[modelKey(model)]?.contextTokens;
  return { model, own, size: own ?? contextTokensOf(model, models) };
}

/** The field for the size of a model's context. */
function ContextSize({ model, own, size }: ContextOfModel) {
  const { commands } = useApp();
  const options = useMirror((mirror) => mirror.settings.modelOptions);
  const key = modelKey(model);
  const save = async (contextTokens: number | undefined) => {
    const { contextTokens: _before, ...others } = options[key] ?? {};
    const changed = { ...others, ...(contextTokens !== undefined && { contextTokens }) };
    await commands.changeSettings({ modelOptions: { ...options, [key]: changed } });
    if (contextTokens === undefined) await commands.refreshModels();
  };
  const known = size === undefined ? 'composer.context.unknown' : 'composer.context.known';
  return (
    <NumberField
      label={text('composer.context.size', { model: modelLabel(model) })}
      hint={text(own === undefined ? known : 'composer.context.own')}
      value={own}
      placeholder={size === undefined ? '' : String(size)}
      min={256}
      max={100_000_000}
      whole
      onChange={(value) => void save(value)}
    />
  );
}

/**
 * How full the model's context is with the next line; a click explains it and sets the size of the context.
 *
 * @param textTokens about how many tokens the typed text has.
 */
export function ContextMeter({ textTokens }: { readonly textTokens: number }) {
  const { commands } = useApp();
  // Counting a long session takes a part of a frame: it waits until the session is on the screen.
  const session = useDeferredValue(useCurrentSession((current) => current));
  const attached = useView(({ draftItems, sessionId }) =>
    draftTokens(draftItems[sessionId ?? newSessionDraft] ?? []),
  );
  const tokens = useMemo(() => conversationTokens(session), [session]) + attached + textTokens;
  const context = useContextOfModel();
  if (tokens < 100) return null;
  const { size } = context;
  const about = text('composer.aboutTokens', { tokens });
  return (
    <Popover.Root>
      <Popover.Trigger className="h-7 rounded-md hover:bg-hover aria-expanded:bg-active">
        {size === undefined ? (
          <span className="numbers px-1 text-xs whitespace-nowrap text-muted">
            {text('composer.shortTokens', { tokens: formatShort(tokens) })}
          </span>
        ) : (
          <ContextRing share={tokens / size} about={about} fits={size} />
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          side="top"
          sideOffset={8}
          collisionPadding={8}
          aria-label={text('composer.context.title')}
          className="z-50 flex w-80 max-w-[calc(100vw-1rem)] animate-appear flex-col gap-3 rounded-lg bg-overlay p-4 text-sm shadow-overlay outline-none"
        >
          <h3 className="font-medium">{text('composer.context.title')}</h3>
          <p>
            {size === undefined
              ? text('composer.conversationLength', { about })
              : text('composer.context.conversation', {
                  used: text('composer.context.used', { about, fits: size }),
                })}
          </p>
          <p className="text-muted">{text('composer.context.explained')}</p>
          <ContextSize {...context} />
          <Popover.Close asChild>
            <Button className="self-start" onClick={() => void commands.send('/compact')}>
              {text('composer.context.compact')}
            </Button>
          </Popover.Close>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
