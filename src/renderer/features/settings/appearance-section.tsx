import type { Settings } from '#shared/settings';
import { Monitor, Moon, Sun } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useCommands, useMirror } from '../../store/app-context';

const themes = [
  { theme: 'system', label: 'As the system', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
] as const;

/** The theme: light, dark, or the system setting. */
export function AppearanceSection() {
  const commands = useCommands();
  const theme = useMirror((mirror) => mirror.settings.theme);
  return (
    <section>
      <h4 id="theme-label" className="font-medium">
        Theme
      </h4>
      <RadioGroup.Root
        aria-labelledby="theme-label"
        value={theme}
        onValueChange={(value) => void commands.changeSettings({ theme: value as Settings['theme'] })}
        className="mt-2 grid grid-cols-3 gap-2"
      >
        {themes.map(({ theme: value, label, icon: Icon }) => (
          <RadioGroup.Item
            key={value}
            value={value}
            className="flex flex-col items-center gap-2 rounded-lg border border-line py-4 text-sm text-muted transition-colors hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-soft data-[state=checked]:text-text"
          >
            <Icon aria-hidden size={18} strokeWidth={1.75} />
            {label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      <p className="mt-3 text-sm text-muted">
        Motion follows the system: with reduced motion asked for, nothing moves.
      </p>
    </section>
  );
}
