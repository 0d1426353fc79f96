import { modelKey, type ModelParameters } from '#shared/model-parameters';
import { SlidersHorizontal } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror, useView } from '../../store/app-context';
import { chooseModel, modelLabel } from '../../store/choose-model';
import { Button } from '../../ui/button';
import { InlineSelect } from '../../ui/inline-select';
import { SelectField } from '../../ui/select-field';
import { TextField } from '../../ui/text-field';
import { NumberField } from '../../ui/number-field';

const efforts = ['low', 'medium', 'high'] as const;

/** Stop texts are typed with a bar between them, because they may have spaces and commas. */
const stopTexts = (text: string): string[] =>
  text
    .split('|')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .slice(0, 4);

type Changed = { readonly [Name in keyof ModelParameters]: ModelParameters[Name] | undefined };

/** The parameters without those that are not set. */
function setOnly({ temperature, effort, maxOutputTokens, stop }: Changed): ModelParameters {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(effort && { effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(stop && stop.length > 0 && { stop }),
  };
}

interface FieldsProps {
  readonly value: ModelParameters;
  readonly onChange: (value: ModelParameters) => void;
}

function Fields({ value, onChange }: FieldsProps) {
  const [stop, setStop] = useState(value.stop?.join(' | ') ?? '');
  const change = (part: Partial<Changed>) => onChange(setOnly({ ...value, ...part }));
  const byDefault = text('composer.parameters.default');
  return (
    <>
      <SelectField
        label={text('composer.parameters.effort')}
        value={value.effort ?? ''}
        options={[
          { value: '', label: byDefault },
          ...efforts.map((effort) => ({
            value: effort,
            label: text(`composer.parameters.efforts.${effort}`),
          })),
        ]}
        onChange={(chosen) => change({ effort: efforts.find((effort) => effort === chosen) })}
      />
      <NumberField
        label={text('composer.parameters.temperature')}
        value={value.temperature}
        placeholder={byDefault}
        min={0}
        max={2}
        onChange={(temperature) => change({ temperature })}
      />
      <NumberField
        label={text('composer.parameters.maxTokens')}
        value={value.maxOutputTokens}
        placeholder={byDefault}
        min={1}
        max={1_000_000}
        whole
        onChange={(maxOutputTokens) => change({ maxOutputTokens })}
      />
      <TextField
        label={text('composer.parameters.stop')}
        hint={text('composer.parameters.stopHint')}
        value={stop}
        maxLength={200}
        onChange={(event) => setStop(event.currentTarget.value)}
        onBlur={() => change({ stop: stopTexts(stop) })}
      />
    </>
  );
}

type Scope = 'model' | 'session' | 'line';

/** The parameters of one model in every session, of the current session with any model, or of the next message. */
function ParametersPanel() {
  const { commands, view } = useApp();
  const sessionId = useView((state) => state.sessionId);
  const models = useMirror((mirror) => mirror.models);
  const settings = useMirror((mirror) => mirror.settings);
  const ofSession = useCurrentSession((session) => session?.parameters);
  const forLine = useView((state) => state.lineParameters);
  const [scope, setScope] = useState<Scope>(forLine ? 'line' : 'model');
  const model = chooseModel(settings.model, models);
  const key = modelKey(model);
  const ofModel = settings.modelOptions[key] ?? {};
  const save = (parameters: ModelParameters) => {
    if (scope === 'line') {
      view.set({ lineParameters: Object.keys(parameters).length > 0 ? parameters : null });
      return;
    }
    if (scope === 'session') return void commands.setParameters(parameters);
    const { temperature: _t, effort: _e, maxOutputTokens: _m, stop: _s, ...facts } = ofModel;
    const options = { ...parameters, ...facts };
    void commands.changeSettings({ modelOptions: { ...settings.modelOptions, [key]: options } });
  };
  const value = { model: ofModel, session: ofSession ?? {}, line: forLine ?? {} }[scope];
  const forSession = ['session', text('composer.parameters.forSession')] as const;
  return (
    <>
      <h3 className="font-medium">{text('composer.parameters.title')}</h3>
      <InlineSelect
        label={text('composer.parameters.scope')}
        value={scope}
        options={[
          ['model', text('composer.parameters.forModel', { model: modelLabel(model) })],
          ...(sessionId === null ? [] : [forSession]),
          ['line', text('composer.parameters.forLine')],
        ]}
        onChange={setScope}
      />
      <Fields key={`${scope} ${key} ${sessionId}`} value={value} onChange={save} />
      <p className="text-xs text-muted">{text('composer.parameters.about')}</p>
      <Popover.Close asChild>
        <Button
          className="self-start"
          onClick={() => view.set({ dialog: { kind: 'settings', section: 'instructions' } })}
        >
          {text('composer.parameters.instructions')}
        </Button>
      </Popover.Close>
    </>
  );
}

/** Opens the parameters of the model's replies. */
export function Parameters() {
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={text('composer.parameters.title')}
        title={text('composer.parameters.title')}
        className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text aria-expanded:bg-active"
      >
        <SlidersHorizontal aria-hidden size={14} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={8}
          aria-label={text('composer.parameters.title')}
          className="z-50 flex max-h-[80vh] w-72 max-w-[calc(100vw-1rem)] animate-appear flex-col gap-3 overflow-y-auto rounded-lg bg-overlay p-4 text-sm shadow-overlay outline-none"
        >
          <ParametersPanel />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
