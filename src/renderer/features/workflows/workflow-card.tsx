import { visibleControls } from '#shared/direction-controls';
import type { WorkflowChoice } from '#shared/workflow-event';
import type { WorkflowRun } from '#shared/workflow-state';
import { warningsForUser } from '#shared/workflow-warnings';
import { TriangleAlert, Workflow } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession } from '../../store/app-context';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { EntityName } from '../../ui/entity-name';
import { InputsForm } from './inputs-form';

function progressText({ inputs, halted, stepCount }: WorkflowRun): string {
  if (inputs === null) return text('workflows.card.waiting');
  if (halted) return text('workflows.card.stopped');
  return text('workflows.card.steps', { count: stepCount });
}

/** Nothing continues before the user chooses one of these (TUL-006 §7.6). */
function Choices({ message }: { readonly message: string }) {
  const { commands, view } = useApp();
  const choose = async (choice: WorkflowChoice) => {
    await commands.actOnWorkflow({ type: 'choose', choice });
    if (choice !== 'cancel') view.focusComposer();
  };
  return (
    <div role="group" aria-label={text('workflows.card.choices')} className="mt-2">
      <p dir="auto" className="text-sm wrap-anywhere">
        {message}
      </p>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button onClick={() => void choose('correct')}>{text('workflows.card.correct')}</Button>
        <Button tone="primary" onClick={() => void choose('retry')}>
          {text('workflows.card.retry')}
        </Button>
      </div>
    </div>
  );
}

/** The session's workflow, above the composer: what it waits for, and how to leave it. */
export function WorkflowCard() {
  const { commands } = useApp();
  const run = useCurrentSession((session) => session?.workflow ?? null);
  if (!run) return null;
  const { Title, Version } = run.definition;
  const warnings = warningsForUser(run.definition);
  // Copper means that the user must act; while the model works, the card is as muted as the rest.
  const waits = run.inputs === null || run.halted !== null;
  return (
    <section
      aria-label={text('workflows.card.label', { title: visibleControls(Title) })}
      className={classNames(
        'mb-2 max-h-[50vh] overflow-y-auto rounded-lg border px-3 py-2',
        waits ? 'border-copper/45 bg-copper-soft' : 'border-line bg-surface',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Workflow
          aria-hidden
          className={classNames('size-4 shrink-0', waits ? 'text-copper-text' : 'text-accent-text')}
        />
        <h2 className="min-w-0 flex-1 truncate text-sm font-medium">
          <EntityName text={Title} /> <span className="font-normal text-muted">{Version}</span>
        </h2>
        <span role="status" className="text-sm text-muted">
          {progressText(run)}
        </span>
        <Button className="h-7 px-2" onClick={() => void commands.actOnWorkflow({ type: 'cancel' })}>
          {text('workflows.card.cancel')}
        </Button>
      </div>
      {warnings.map((warning) => (
        <p key={warning} className="mt-1 flex items-start gap-1.5 text-sm text-copper-text">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{warning}</span>
        </p>
      ))}
      {run.inputs === null && <InputsForm key={run.workflowRunId} run={run} />}
      {run.halted && <Choices message={run.halted.message} />}
    </section>
  );
}
