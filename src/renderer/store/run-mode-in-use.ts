import type { RunMode } from '#shared/run-mode';
import type { MirrorState } from './mirror-state';

/** The run mode of the next line: the stored setting, or Ask while Agent Mode is disabled for this start. */
export function runModeInUse({ settings, info }: Pick<MirrorState, 'settings' | 'info'>): RunMode {
  return info?.agentMode.enabled === false ? 'ask' : settings.mode;
}
