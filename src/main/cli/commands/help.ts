import { appError } from '#shared/app-error';
import type { HelpPage } from '#shared/help-page';
import type { Result } from '#shared/result';
import { didYouMean } from '../../../core/tools/nearest-names';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { renderPage } from '../render-page';

export interface HelpRequest {
  /** The words after `help`: a topic, or the path of a command. */
  readonly words: readonly string[];
  /** The width of the terminal. */
  readonly columns: number;
  /** The help of a command; null when there is no such command. */
  readonly commandHelp: (path: readonly string[]) => string | null;
  readonly commandNames: readonly string[];
}

function topicList(pages: readonly HelpPage[]): string {
  const width = Math.max(...pages.map(({ topic }) => topic.length));
  const rows = pages.map(({ topic, title }) => `  ${topic.padEnd(width)}  ${title}`);
  return [
    'The user guide has these topics. `patina help TOPIC` prints one.',
    '',
    ...rows,
    '',
    '`patina --help` lists the commands, `patina help COMMAND` explains one.',
  ].join('\n');
}

/**
 * `patina help [TOPIC]`: prints a page of the user guide or the help of a command; without a topic, lists the
 * pages. Needs no valid configuration, because a user may need it to repair one.
 */
export function helpCommand(
  guide: Result<readonly HelpPage[]>,
  { words, columns, commandHelp, commandNames }: HelpRequest,
  terminal: Terminal,
): ExitCode {
  const pages = guide.ok ? guide.value : [];
  const page = words.length === 1 ? pages.find(({ topic }) => topic === words[0]?.toLowerCase()) : undefined;
  if (page) {
    print(terminal, page, () => renderPage(page.text, columns));
    return 0;
  }
  const command = words.length === 0 ? null : commandHelp(words);
  if (command !== null) {
    print(terminal, { command: words.join(' '), text: command }, () => command.trimEnd());
    return 0;
  }
  if (!guide.ok) return fail(terminal, guide.error);
  if (words.length === 0) {
    print(
      terminal,
      pages.map(({ topic, title }) => ({ topic, title })),
      () => topicList(pages),
    );
    return 0;
  }
  const topicName = words.join(' ');
  const near = didYouMean(topicName, [...pages.map(({ topic }) => topic), ...commandNames]);
  const hint = [near, '`patina help` lists the topics.'].filter(Boolean).join(' ');
  fail(terminal, appError('HOST', 'INVALID_INPUT', `There is no help topic "${topicName}".`, { hint }));
  return 2;
}
