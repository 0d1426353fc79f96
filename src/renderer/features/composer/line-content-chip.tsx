import { runParameters, type ModelParameters } from '#shared/model-parameters';
import type { WorkspaceOverride } from '#shared/workspace';
import { PackageOpen, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useAgentMode, useView } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';

const contentTexts = ({ promptPack, toolCatalog, snapshot }: WorkspaceOverride) => [
  promptPack && text('composer.nextMessage.instructions', { id: promptPack }),
  toolCatalog && text('composer.nextMessage.toolSet', { id: toolCatalog }),
  snapshot && text('composer.nextMessage.version', { id: snapshot.slice(0, 12) }),
];

const parameterTexts = ({ effort, temperature, maxOutputTokens, stop }: ModelParameters) => [
  effort && text('composer.nextMessage.effort', { effort }),
  temperature !== undefined && text('composer.nextMessage.temperature', { temperature }),
  maxOutputTokens !== undefined && text('composer.nextMessage.maxTokens', { tokens: maxOutputTokens }),
  stop && text('composer.nextMessage.stop'),
];

/** The content and parameters that only the next line uses instead of its session's own, with a button to remove them. */
export function LineContentChip() {
  const { view } = useApp();
  const content = useView((state) => state.lineContent);
  const parameters = useView((state) => state.lineParameters);
  const isAgent = useAgentMode();
  const applying = isAgent ? runParameters(parameters ?? {}) : parameters;
  const parts = [...contentTexts(content ?? {}), ...parameterTexts(applying ?? {})].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <p className="mb-1.5 flex items-center gap-1.5 text-xs text-muted">
      <PackageOpen aria-hidden size={13} />
      <span className="min-w-0 truncate">
        {text('composer.nextMessage.only', { parts: parts.join(', ') })}
      </span>
      <IconButton
        icon={X}
        label={text('composer.nextMessage.remove')}
        onClick={() => view.set({ lineContent: null, lineParameters: null })}
      />
    </p>
  );
}
