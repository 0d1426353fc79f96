import { Wrench } from 'lucide-react';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useAgentMode, useCommands, useMirror } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { Tooltip } from '../../ui/tooltip';

const about = {
  on: text('composer.askTools.on'),
  off: text('composer.askTools.off'),
};

/** Toggles whether Ask offers MCP server tools; Agent Mode always plans with them. */
export function AskToolsSwitch() {
  const commands = useCommands();
  const agent = useAgentMode();
  const on = useMirror((mirror) => mirror.settings.toolsInAsk);
  const keys = useKeysOf('toggle-ask-tools');
  if (agent) return null;
  return (
    <Tooltip side="top" text={on ? about.on : about.off} keys={keys}>
      <button
        type="button"
        aria-label={text('composer.askTools.name')}
        aria-pressed={on}
        onClick={() => void commands.toggleAskTools()}
        className={classNames(
          'flex h-7 items-center gap-1.5 rounded-md px-2 text-xs font-medium transition-colors hover:bg-hover',
          on ? 'text-accent-text' : 'text-muted hover:text-text',
        )}
      >
        <Wrench aria-hidden size={13} strokeWidth={2} />
        {on && text('composer.askTools.short')}
      </button>
    </Tooltip>
  );
}
