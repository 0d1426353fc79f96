import { MessageSquare, Workflow } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useCommands, useMirror } from '../../store/app-context';
import { runModeInUse } from '../../store/run-mode-in-use';
import { classNames } from '../../ui/class-names';
import { Tooltip } from '../../ui/tooltip';

const modes = [
  {
    mode: 'ask',
    label: text('composer.mode.ask'),
    icon: MessageSquare,
    about: text('composer.mode.aboutAsk'),
  },
  {
    mode: 'agent',
    label: text('composer.mode.agent'),
    icon: Workflow,
    about: text('composer.mode.aboutAgent'),
  },
] as const;

const arrows: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);

/** Ask or Agent Mode: always visible, and saved. */
export function ModeSwitch() {
  const commands = useCommands();
  const runMode = useMirror(runModeInUse);
  const keys = useKeysOf('toggle-run-mode');
  const agentMode = useMirror((mirror) => mirror.info?.agentMode);
  const off = agentMode !== undefined && !agentMode.enabled;
  const reason = off ? (agentMode.reason ?? text('composer.mode.off')) : undefined;
  return (
    <div>
      <span id="mode-label" className="sr-only">
        {text('composer.mode.label')}
      </span>
      <RadioGroup.Root
        aria-labelledby="mode-label"
        orientation="horizontal"
        value={runMode}
        onValueChange={(value) => void commands.setRunMode(value === 'agent' ? 'agent' : 'ask')}
        onKeyDown={({ key }) => {
          // The group selects an item only if the key is still down when the focus arrives, so a quick press
          // would be lost.
          if (arrows.has(key)) void commands.setRunMode(runMode === 'ask' ? 'agent' : 'ask');
        }}
        className="flex rounded-md bg-active p-0.5"
      >
        {modes.map(({ mode, label, icon: Icon, about }) => (
          <Tooltip key={mode} side="top" text={mode === 'agent' && reason ? reason : about} keys={keys}>
            <RadioGroup.Item
              value={mode}
              aria-disabled={mode === 'agent' && off}
              aria-description={mode === 'agent' ? reason : undefined}
              className={classNames(
                'flex h-6 items-center gap-1.5 rounded-sm px-2 text-xs font-medium whitespace-nowrap text-muted transition-colors hover:text-text aria-disabled:opacity-50 aria-checked:bg-canvas aria-checked:shadow-raised',
                mode === 'agent' ? 'aria-checked:text-accent-text' : 'aria-checked:text-text',
              )}
            >
              <Icon aria-hidden size={13} strokeWidth={2} className="@max-xl:hidden" />
              {label}
            </RadioGroup.Item>
          </Tooltip>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
