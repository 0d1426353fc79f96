import { PackageOpen, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useView } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';

/** The content that only the next line uses instead of its session's own, with a button to remove it. */
export function LineContentChip() {
  const { view } = useApp();
  const request = useView((state) => state.lineContent);
  if (!request) return null;
  const { promptPack, toolCatalog, snapshot } = request;
  const parts = [
    promptPack && text('composer.nextMessage.instructions', { id: promptPack }),
    toolCatalog && text('composer.nextMessage.toolSet', { id: toolCatalog }),
    snapshot && text('composer.nextMessage.version', { id: snapshot.slice(0, 12) }),
  ];
  return (
    <p className="mb-1.5 flex items-center gap-1.5 text-xs text-muted">
      <PackageOpen aria-hidden size={13} />
      <span className="min-w-0 truncate">
        {text('composer.nextMessage.only', { parts: parts.filter(Boolean).join(', ') })}
      </span>
      <IconButton
        icon={X}
        label={text('composer.nextMessage.remove')}
        onClick={() => view.set({ lineContent: null })}
      />
    </p>
  );
}
