import type { DdrDocument } from './document';
import { insertSection, newSection, replaceText, spaced, withEol, type Body, type Section } from './sections';

export interface ChapterContent {
  readonly title: string;
  readonly summary: string;
  readonly details: string;
}

/** The stored text of a chapter: its summary as a block quote, then its details. */
function chapterText(summary: string, details: string): string {
  const quote = summary === '' ? '' : summary.replaceAll(/^/gm, '> ');
  // Without this guard, details that begin with a block quote would be read as the summary.
  const guard = quote === '' && details.startsWith('>') ? '>' : quote;
  return [guard, details].filter((part) => part !== '').join('\n\n');
}

const replaceAt = (sections: readonly Section[], at: number, section: Section): readonly Section[] =>
  sections.map((one, index) => (index === at ? section : one));

/** Replaces the summary and details of one chapter in the body. */
export function withChapterText(document: DdrDocument, index: number, content: ChapterContent): Body {
  const { eol } = document.parts;
  const section = document.body.sections[index];
  if (!section) return document.body;
  const text = withEol(chapterText(content.summary, content.details), eol);
  const sections = replaceAt(document.body.sections, index, replaceText(section, text, eol));
  return { ...document.body, sections };
}

/** Adds chapters to the body, from a position among the chapters (1-based) or at the end. */
export function withChapters(
  document: DdrDocument,
  added: readonly ChapterContent[],
  position?: number,
): Body {
  const { eol } = document.parts;
  const before = position === undefined ? undefined : document.chapters[position - 1];
  const at = before?.index ?? document.body.sections.length;
  return added.reduce((body, { title, summary, details }, offset) => {
    const text = withEol(chapterText(summary, details), eol);
    return insertSection(body, at + offset, newSection(title, text, eol), eol);
  }, document.body);
}

/** Sets the goal in the body; a new goal goes above the chapters. */
export function withGoal(document: DdrDocument, text: string): Body {
  const { eol } = document.parts;
  const { body, goalIndex } = document;
  const written = withEol(text, eol);
  const section = goalIndex === null ? undefined : body.sections[goalIndex];
  if (!section) return insertSection(body, 0, newSection('Goal', written, eol), eol);
  const sections = replaceAt(body.sections, goalIndex ?? 0, replaceText(section, written, eol));
  return { ...body, sections };
}

/** Reorders the chapters of the body; the goal keeps its position. */
export function withOrder(document: DdrDocument, order: readonly number[]): Body {
  const { eol } = document.parts;
  const { sections } = document.body;
  const places = document.chapters.map(({ index }) => index);
  const moved = sections.map((section, index) => {
    const at = places.indexOf(index);
    const from = at === -1 ? index : (order[at] ?? index);
    return spaced(sections[from] ?? section, eol);
  });
  return { ...document.body, sections: moved };
}

export function withoutChapter(document: DdrDocument, index: number): Body {
  return { ...document.body, sections: document.body.sections.filter((_, at) => at !== index) };
}

/** Renames the document's top heading in the body if it is the one that Patina wrote. */
export function withTitle(body: Body, old: string, title: string): Body {
  const preface = body.preface.split(/(?<=\n)/).map((text) => {
    const end = /\r?\n?$/.exec(text)?.[0] ?? '';
    return text === `# ${old}${end}` ? `# ${title}${end}` : text;
  });
  return { ...body, preface: preface.join('') };
}
