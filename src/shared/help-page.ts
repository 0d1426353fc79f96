/** A page of the user guide. `topic` is the name of its file without `.md`; the index is `user-guide`. */
export interface HelpPage {
  readonly topic: string;
  readonly title: string;
  /** Markdown, starting with the title. Links to other pages are relative, like `recipes.md`. */
  readonly text: string;
}

/** The topic of the guide's index, `README.md`. */
export const helpIndex = 'user-guide';

/** The topic that a relative link between pages leads to; null for any other address. */
export function helpTopicOf(href: string): string | null {
  const name = /^([A-Za-z0-9-]+)\.md(?:#.*)?$/.exec(href)?.[1];
  if (name === undefined) return null;
  return name === 'README' ? helpIndex : name;
}
