import type { RunMode } from '#shared/run-mode';

/** Something to try: the line that is sent, and the run mode it is sent in. */
export interface Suggestion {
  readonly text: string;
  readonly about: string;
  readonly runMode: RunMode;
}

export const suggestions: readonly Suggestion[] = [
  { text: 'What can you do?', about: 'What works right now, with and without a model', runMode: 'ask' },
  {
    text: 'Find duplicate files in .',
    about: 'Compares contents, not names; runs without a model',
    runMode: 'agent',
  },
  {
    text: 'Count TODO and FIXME by folder',
    about: 'Searches the project folder; runs without a model',
    runMode: 'agent',
  },
];
