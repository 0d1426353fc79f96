import { MessageCircleQuestion } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { z } from 'zod';
import type { PendingElicitation, ElicitAnswer, ElicitField } from '#shared/elicitation';
import { elicitContent, initialInputs, type FieldInput } from '#shared/elicitation-check';
import { richText, text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { useCardDraft } from '../../store/card-drafts';
import { Button } from '../../ui/button';
import { isKeyboardInUse } from '../../ui/keyboard-in-use';
import { ChoiceField, ChoicesField, LineField, TextAreaField } from '../../ui/field';

interface Props {
  readonly elicitation: PendingElicitation;
  /** The number of questions queued behind this one. */
  readonly behind: number;
}

const Inputs = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** The values in the form, and the actions that close it. */
function useForm({ id, request: { fields } }: PendingElicitation) {
  const { commands, view } = useApp();
  const form = useRef<HTMLFormElement>(null);
  const { value: inputs, type, drop } = useCardDraft(id, Inputs, () => initialInputs(fields));
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState('');
  const { content, problems } = elicitContent(fields, inputs);
  const send = async (answer: ElicitAnswer): Promise<void> => {
    const focused = form.current?.contains(document.activeElement) === true;
    const sent = await commands.answerElicitation(id, answer);
    if (!sent.ok) return setFailure(sent.error.message);
    drop();
    if (focused) view.focusComposer();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    const wrong = Object.values(problems);
    if (wrong.length === 0) return void send({ action: 'accept', content });
    view.announce(text('elicitation.notSent', { problems: wrong.join(' ') }));
  };
  return { form, inputs, type, problems: tried ? problems : {}, failure, send, submit };
}

/** Focuses the form as a whole rather than a field, so that stray typing does not become an answer. */
function useFormFocus(form: { readonly current: HTMLFormElement | null }): void {
  useEffect(() => {
    if (!isKeyboardInUse()) form.current?.focus({ preventScroll: true });
  }, [form]);
}

function Head({ elicitation: { request }, behind }: Props) {
  return (
    <div className="flex items-start gap-2.5">
      <MessageCircleQuestion aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
      <div className="min-w-0 grow">
        <h2 className="text-sm font-medium wrap-anywhere">
          {richText('elicitation.title', {
            server: request.server,
            code: (inner) => <code className="font-mono">{inner}</code>,
          })}
        </h2>
        <blockquote className="mt-1 border-s-2 border-copper/45 ps-2.5 text-sm wrap-anywhere whitespace-pre-wrap">
          {request.message}
        </blockquote>
        <p className="mt-1 text-xs text-muted">
          {text('elicitation.note')} {behind > 0 && ` ${text('elicitation.behind', { count: behind })}`}
        </p>
      </div>
    </div>
  );
}

/** A text that may have more characters than this gets a text box. */
const longText = 200;
const isLong = (field: ElicitField): boolean => field.kind === 'text' && (field.maxLength ?? 0) > longText;
const yesNo = () => [
  { value: 'yes', label: text('elicitation.yes') },
  { value: 'no', label: text('elicitation.no') },
];

interface ElicitationFieldProps {
  readonly field: ElicitField;
  readonly input: FieldInput;
  readonly problem: string | undefined;
  readonly onChange: (input: FieldInput) => void;
}

/** One field of a server's form. */
function ElicitationField({ field, input: input, problem, onChange }: ElicitationFieldProps) {
  const { label, required, description } = field;
  const shared = { label, required, hint: description, problems: problem === undefined ? [] : [problem] };
  const [line, ticked] = typeof input === 'string' ? [input, []] : ['', input];
  switch (field.kind) {
    case 'some-of':
      return <ChoicesField {...shared} values={ticked} options={field.options} onChange={onChange} />;
    case 'yes-no':
    case 'one-of':
      return (
        <ChoiceField
          {...shared}
          value={line}
          options={field.kind === 'one-of' ? field.options : yesNo()}
          onChange={onChange}
        />
      );
    case 'number':
      return <LineField {...shared} type="number" value={line} onChange={onChange} />;
    case 'text':
      return isLong(field) ? (
        <TextAreaField {...shared} rows={3} value={line} onChange={onChange} />
      ) : (
        <LineField
          {...shared}
          type={field.format === 'date' ? 'date' : 'text'}
          value={line}
          onChange={onChange}
        />
      );
  }
}

/**
 * A question that a server asks during one of its calls: its text as data, one field per value, three ways to
 * respond. Escape cancels.
 */
export function ElicitationForm({ elicitation, behind }: Props) {
  const { form, inputs, type, problems, failure, send, submit } = useForm(elicitation);
  const { server, fields } = elicitation.request;
  useFormFocus(form);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    // Handles Escape before the window's own handler, which would stop the work itself.
    event.preventDefault();
    void send({ action: 'cancel' });
  };
  return (
    <form
      ref={form}
      tabIndex={-1}
      noValidate
      aria-label={text('elicitation.name', { server })}
      className="mb-2 flex max-h-[50vh] flex-col rounded-lg border border-copper/45 bg-copper-soft focus:outline-2 focus:outline-offset-1 focus:outline-copper"
      onSubmit={submit}
      onKeyDown={onKeyDown}
    >
      <div className="min-h-0 overflow-y-auto px-3 pt-2.5 pb-2">
        <Head elicitation={elicitation} behind={behind} />
        <div className="mt-3 flex flex-col gap-3">
          {fields.map((field) => (
            <ElicitationField
              key={field.name}
              field={field}
              input={inputs[field.name] ?? ''}
              problem={problems[field.name]}
              onChange={(value) => type({ ...inputs, [field.name]: value })}
            />
          ))}
        </div>
        {failure !== '' && (
          <p role="alert" className="mt-2 text-sm text-danger-text">
            {failure}
          </p>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2 border-t border-copper/25 px-3 py-2">
        <Button onClick={() => void send({ action: 'cancel' })}>{text('elicitation.cancel')}</Button>
        <Button onClick={() => void send({ action: 'decline' })}>{text('elicitation.decline')}</Button>
        <Button type="submit" tone="primary">
          {text('elicitation.answer')}
        </Button>
      </div>
    </form>
  );
}
