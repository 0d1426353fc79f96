import {
  FileDiff,
  FileText,
  Folder,
  Image,
  KeyRound,
  LoaderCircle,
  MessagesSquare,
  Paperclip,
  TriangleAlert,
  X,
  type LucideIcon,
} from 'lucide-react';
import { useRef } from 'react';
import { visibleControls } from '#shared/direction-controls';
import type { ContextItemKind } from '#shared/context-item';
import { abilitiesOf } from '#shared/model';
import { lastModelOf } from '#shared/turn-tree';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror, useView } from '../../store/app-context';
import { chooseModel, modelLabel } from '../../store/choose-model';
import { newSessionDraft } from '../../store/drafts';
import type { DraftItem } from '../../store/view-state';
import { Button } from '../../ui/button';
import { formatBytes, formatShort } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { useLostFocus } from '../../ui/use-lost-focus';

const icons: Readonly<Record<ContextItemKind, LucideIcon>> = {
  file: FileText,
  folder: Folder,
  image: Image,
  diff: FileDiff,
  text: FileText,
  artifact: FileText,
  resource: FileText,
  session: MessagesSquare,
};

const none: readonly DraftItem[] = [];

const lastPart = (name: string): string => visibleControls(name.split('/').at(-1) || name);

/** The symbol, the name, the size and the tokens of an item. */
function About({ draft }: { readonly draft: DraftItem }) {
  if (draft.status === 'reading')
    return (
      <>
        <LoaderCircle aria-hidden size={13} className="shrink-0 text-muted motion-safe:animate-spin" />
        <span className="truncate">{lastPart(draft.name)}</span>
        <span className="sr-only">{text('items.reading')}</span>
      </>
    );
  if (draft.status === 'asks')
    return (
      <>
        <KeyRound aria-hidden size={13} className="shrink-0 text-copper-text" />
        <span className="truncate">{text('items.secret', { name: lastPart(draft.name) })}</span>
      </>
    );
  const { kind, bytes, tokens } = draft.item;
  const Icon = icons[kind];
  return (
    <>
      <Icon aria-hidden size={13} className="shrink-0 text-muted" />
      <span className="max-w-52 truncate">{lastPart(draft.name)}</span>
      <span className="numbers shrink-0 text-muted">
        {formatBytes(bytes)} · {text('composer.shortTokens', { tokens: formatShort(tokens) })}
      </span>
    </>
  );
}

function Chip({ draft }: { readonly draft: DraftItem }) {
  const { commands } = useApp();
  const asks = draft.status === 'asks';
  return (
    <li
      title={visibleControls(asks ? draft.why : draft.name)}
      className={
        asks
          ? 'flex max-w-full min-w-0 items-center rounded-md border border-copper-text/50 ps-2'
          : 'flex max-w-full min-w-0 items-center rounded-md border border-line ps-2'
      }
    >
      <span className="flex h-7 min-w-0 items-center gap-1.5 text-xs">
        <About draft={draft} />
      </span>
      {asks && (
        <Button
          tone="quiet"
          className="ms-1 h-6 px-2 text-xs"
          onClick={() => void commands.confirmItem(draft.key)}
        >
          {text('items.attachAnyway')}
        </Button>
      )}
      <IconButton
        icon={X}
        label={text('items.remove', { name: lastPart(draft.name) })}
        onClick={() => commands.removeItem(draft.key)}
      />
    </li>
  );
}

/** What goes with the next line: each with its size and tokens, and a button to remove it. */
export function ItemChips() {
  const items = useView(({ draftItems, sessionId }) => draftItems[sessionId ?? newSessionDraft] ?? none);
  const { view } = useApp();
  const onFocus = useLostFocus(items, view.focusComposer);
  if (items.length === 0) return null;
  return (
    <ul
      aria-label={text('items.list')}
      onFocus={onFocus}
      className="flex max-h-[30vh] flex-wrap gap-1.5 overflow-y-auto px-2.5 pt-2.5"
    >
      {items.map((draft) => (
        <Chip key={draft.key} draft={draft} />
      ))}
      <UnreadImages items={items} />
    </ul>
  );
}

/** Says that the model reads no images, before the line is sent. */
function UnreadImages({ items }: { readonly items: readonly DraftItem[] }) {
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const last = useCurrentSession((session) => (session ? lastModelOf(session) : undefined));
  const model = chooseModel(chosen, models, last);
  const images = items.some((draft) => draft.status === 'ready' && draft.item.kind === 'image');
  if (!images || abilitiesOf(model, models).images !== false) return null;
  return (
    <li role="alert" className="flex w-full items-center gap-1.5 text-xs text-copper-text">
      <TriangleAlert aria-hidden size={13} className="shrink-0" />
      {text('items.noImages', { model: modelLabel(model) })}
    </li>
  );
}

/** Opens the system's file dialog; the chosen files become chips. */
export function AttachButton() {
  const { commands, view } = useApp();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        onChange={(event) => {
          void commands.attachFiles([...(event.target.files ?? [])]);
          event.target.value = '';
          view.focusComposer();
        }}
      />
      <IconButton icon={Paperclip} label={text('items.attach')} onClick={() => input.current?.click()} />
    </>
  );
}
