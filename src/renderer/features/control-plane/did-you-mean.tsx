import { localProviderId } from '#shared/local-model';
import type { Turn } from '#shared/session-state';
import { CircleHelp } from 'lucide-react';
import { Popover } from 'radix-ui';
import { mayMeanAction, useNearActions, useSentenceEncoder } from '../../actions/near-actions';
import { text } from '../../locales/text';
import { useApp, useCurrentSession } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { menuItem, menuPanel } from '../../ui/menu-style';

function NearActions({ line, localModel }: { readonly line: string; readonly localModel?: string }) {
  const app = useApp();
  const near = useNearActions(line, localModel);
  const rows = near === 'unavailable' ? [] : (near ?? []);
  return (
    <>
      {rows.map((row) => (
        <Popover.Close
          key={row.id}
          className={`${menuItem} w-full text-start hover:bg-hover`}
          onClick={() => row.run(app)}
        >
          {row.label}
        </Popover.Close>
      ))}
      <p role="status" className="px-2 py-1 text-muted empty:hidden">
        {near === null && text('controlPlane.didYouMean.looking')}
        {near === 'unavailable' && text('controlPlane.didYouMean.unavailable')}
        {near !== null && near.length === 0 && text('controlPlane.didYouMean.none')}
      </p>
    </>
  );
}

/** Suggests actions for the newest line that went to the model, once the user asks for them. */
export function DidYouMean({ turn }: { readonly turn: Turn }) {
  const newest = useCurrentSession((session) => session?.head);
  const encoder = useSentenceEncoder();
  const { providerId, model } = turn.model;
  const local = providerId === localProviderId ? { localModel: model } : {};
  if ((!encoder && local.localModel === undefined) || turn.turn !== newest || !mayMeanAction(turn))
    return null;
  const question = text('controlPlane.didYouMean.ask');
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton icon={CircleHelp} label={question} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content align="end" sideOffset={4} aria-label={question} className={menuPanel}>
          <NearActions line={turn.text} {...local} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
