import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appError } from '#shared/app-error';
import { helpIndex, helpTopicOf, type HelpPage } from '#shared/help-page';
import { err, ok, type Result } from '#shared/result';

function readPage(folder: string, name: string, topic: string): HelpPage {
  const source = readFileSync(join(folder, name), 'utf8');
  // Notes for editors are not text for readers.
  const text = source.replaceAll(/<!--[\s\S]*?-->\n*/g, '');
  return { topic, title: /^# (.+)$/m.exec(text)?.[1] ?? topic, text };
}

/**
 * The pages of the user guide that ships with Patina: the index, then the others in the order in which the
 * index links them. Errors: HOST/STORAGE when the folder cannot be read.
 */
export function readHelpPages(folder: string): Result<readonly HelpPage[]> {
  try {
    const index = readPage(folder, 'README.md', helpIndex);
    const linked = [...index.text.matchAll(/\]\(([^)]+)\)/g)].flatMap(
      ([, href = '']) => helpTopicOf(href) ?? [],
    );
    const found = readdirSync(folder).flatMap((name) => helpTopicOf(name) ?? []);
    const topics = [...new Set([...linked.filter((topic) => found.includes(topic)), ...found])];
    const others = topics.filter((topic) => topic !== helpIndex);
    return ok([index, ...others.map((topic) => readPage(folder, `${topic}.md`, topic))]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(
      appError('HOST', 'STORAGE', `The user guide cannot be read: ${reason}`, {
        hint: 'Install Patina again: the guide is one of its files.',
      }),
    );
  }
}
