import type { Turn } from '#shared/session-state';
import { ListChecks, ListX } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { commandName, searchText, sourceOf } from '../../store/slash-lines';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';

function Open({ turn }: { readonly turn: Turn }) {
  const { commands, view } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const action = turn.route?.action;
  if (action?.type !== 'open-picker') return null;
  const title = commandName(plane, action.commandId);
  const noun = sourceOf(plane, action.source)?.nouns.many[0] ?? text('shared.itemsNoun');
  const search = searchText(plane, action.source, action.prefilterText ?? '');
  return (
    <section
      aria-label={text('controlPlane.picker.name', { title })}
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface py-2 ps-3 pe-2"
    >
      <ListChecks aria-hidden className="size-4 shrink-0 text-copper-text" />
      <p className="min-w-40 flex-1 text-sm wrap-anywhere">
        <span className="font-medium">{title}</span>{' '}
        <span className="text-muted">
          {search === ''
            ? text('controlPlane.picker.all', { nouns: noun })
            : richText('controlPlane.picker.unclear', { nouns: noun, search: <EntityName text={search} /> })}
        </span>
      </p>
      <div className="ms-auto flex flex-wrap items-center gap-1.5">
        <Button
          tone="quiet"
          className="h-7 px-2"
          onClick={() => void commands.closePicker(turn.turn, 'nothing')}
        >
          {text('controlPlane.picker.dismiss')}
        </Button>
        <Button
          tone="quiet"
          className="h-7 px-2"
          onClick={() => void commands.closePicker(turn.turn, 'model')}
        >
          {text('controlPlane.sendToModel')}
        </Button>
        <Button
          tone="primary"
          className="h-7"
          onClick={() => view.set({ dialog: { kind: 'picker', turn: turn.turn } })}
        >
          {text('controlPlane.picker.choose')}
        </Button>
      </div>
    </section>
  );
}

/** A line that opened a list: its subject and the next actions. Muted once it is resolved. */
export function PickerCard({ turn }: { readonly turn: Turn }) {
  const picker = turn.route?.picker;
  if (!picker) return null;
  if (picker.status === 'open') return <Open turn={turn} />;
  // The chosen command reports the choice; a line forwarded to the model has its reply.
  if (picker.status === 'chosen' || turn.reply || turn.run) return null;
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <ListX aria-hidden className="size-3.5 shrink-0" />
      {text('controlPlane.picker.nothing')}
    </p>
  );
}
