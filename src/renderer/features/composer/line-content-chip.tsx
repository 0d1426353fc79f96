import { PackageOpen, X } from 'lucide-react';
import { useApp, useView } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';

/** The content that only the next line uses instead of its session's own, with a button to remove it. */
export function LineContentChip() {
  const { view } = useApp();
  const wish = useView((state) => state.lineContent);
  if (!wish) return null;
  const { promptPack, toolCatalog, snapshot } = wish;
  const parts = [
    promptPack && `pack ${promptPack}`,
    toolCatalog && `catalog ${toolCatalog}`,
    snapshot && `snapshot ${snapshot.slice(0, 12)}`,
  ];
  return (
    <p className="mb-1.5 flex items-center gap-1.5 text-xs text-muted">
      <PackageOpen aria-hidden size={13} />
      <span className="min-w-0 truncate">The next line only: {parts.filter(Boolean).join(', ')}</span>
      <IconButton icon={X} label="As the session" onClick={() => view.set({ lineContent: null })} />
    </p>
  );
}
