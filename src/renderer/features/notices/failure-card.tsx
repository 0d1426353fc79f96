import { CircleAlert, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useView } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';

/** A failed call: the attempted action, the reason for the failure, and what to do next. */
export function FailureCard() {
  const { view } = useApp();
  const failure = useView((state) => state.failure);
  if (!failure) return null;
  const { title, error } = failure;
  const modelTrouble = error.kind === 'LLM' && error.code !== 'CONTEXT_LIMIT';
  return (
    <section
      role="alert"
      className="mb-2 flex animate-appear items-start gap-3 rounded-lg border border-line bg-danger-soft py-2.5 pr-2 pl-3"
    >
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-danger-text" />
      <div className="readable min-w-0 flex-1 text-sm">
        <p className="font-medium">{title}</p>
        <p className="break-words text-muted">
          {error.message} {error.hint}
        </p>
        {error.problems?.map((problem) => (
          <p key={`${problem.file} ${problem.field}`} className="break-words text-muted">
            <code className="font-mono text-xs">
              {problem.file}: {problem.field}
            </code>{' '}
            {problem.reason}
          </p>
        ))}
        <p className="mt-1 font-mono text-2xs text-muted">
          {error.kind}/{error.code}
        </p>
      </div>
      {modelTrouble && (
        <Button onClick={() => view.set({ dialog: { kind: 'settings', section: 'models' } })}>
          {text('notices.modelSettings')}
        </Button>
      )}
      <IconButton icon={X} label={text('notices.dismiss')} onClick={() => view.set({ failure: null })} />
    </section>
  );
}
