import type { RunMode } from '#shared/run-mode';
import type { MirrorState } from './mirror-state';

/** The mode the next line goes by: the stored one, but Ask while Agent Mode is switched off for this start. */
export function runModeInUse({ settings, info }: Pick<MirrorState, 'settings' | 'info'>): RunMode {
  return info?.agentMode.enabled === false ? 'ask' : settings.mode;
}
