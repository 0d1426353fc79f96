import type { App } from '../../app';
import { print, type ExitCode, type Terminal } from '../output';

/**
 * `patina modes`: every mode's summary in catalog order (AGN-014 §4); the text output marks the default mode.
 */
export function modesCommand(app: Pick<App, 'modes'>, terminal: Terminal): ExitCode {
  const summaries = app.modes.getAllModes();
  print(terminal, summaries, () =>
    summaries
      .map(
        ({ key, displayName, systemPromptSummary, isDefault }) =>
          `${key}  ${displayName}${isDefault ? ' (default)' : ''}\n  ${systemPromptSummary}`,
      )
      .join('\n'),
  );
  return 0;
}
