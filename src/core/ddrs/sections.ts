/** A `##` heading and its text, split into pieces that concatenate to the original. */
export interface Section {
  readonly title: string;
  /** The heading line, including its line ending. */
  readonly heading: string;
  /** Blank lines after the heading. */
  readonly lead: string;
  readonly text: string;
  /** Blank lines and a closing thematic break (`---`) after the text. */
  readonly tail: string;
}

/** A document's body: the text above the first `##` heading, then the sections. */
export interface Body {
  readonly preface: string;
  readonly sections: readonly Section[];
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*?)\r?\n?$/;
/** Whether a line is a thematic break or blank. */
const separates = (line: string): boolean => /^(?:-{3,}|\*{3,}|_{3,})?$/.test(line.trim());

/**
 * The title of a `##` heading; undefined for any other line. Parsed by hand: a pattern open at both ends
 * takes quadratic time on a long line.
 */
function headingOf(line: string): string | undefined {
  if (!line.startsWith('## ') && !line.startsWith('##\t')) return undefined;
  return line.slice(3).trim() || undefined;
}

/**
 * End of a text, before the blank lines and thematic breaks that follow it. A break at the very
 * end belongs to no section.
 */
export function endOfText(text: string): number {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 2) + 1;
    if (!separates(text.slice(start, end))) return end;
    end = start;
  }
  return 0;
}

/** Tracks code fences line by line, so that a heading in a code example does not count. */
function createFenceTracker() {
  let open = '';
  return {
    /** Whether this line is in a code block, or opens or closes one. */
    inside(line: string): boolean {
      const [, marks = '', info = ''] = fenceLine.exec(line) ?? [];
      if (open === '') {
        if (marks !== '' && !(marks.startsWith('`') && info.includes('`'))) open = marks;
        return open !== '';
      }
      if (marks.startsWith(open) && info.trim() === '') open = '';
      return true;
    },
    open: () => open !== '',
  };
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

function toSection(title: string, heading: string, content: string): Section {
  const lead = /^(?:[ \t]*\r?\n)*/.exec(content)?.[0] ?? '';
  const rest = content.slice(lead.length);
  const end = rest.slice(0, endOfText(rest));
  const tail = rest.slice(end.length);
  const lineEnd = /\r?\n$/.exec(end)?.[0] ?? '';
  return { title, heading, lead, text: end.slice(0, end.length - lineEnd.length), tail: `${lineEnd}${tail}` };
}

/** Splits a body at its `##` headings. */
export function splitSections(text: string): Body {
  const fences = createFenceTracker();
  const cut: { title: string; heading: string; content: string[] }[] = [];
  const preface: string[] = [];
  for (const line of linesOf(text)) {
    const title = fences.inside(line) ? undefined : headingOf(line);
    if (title !== undefined) cut.push({ title, heading: line, content: [] });
    else (cut.at(-1)?.content ?? preface).push(line);
  }
  return {
    preface: preface.join(''),
    sections: cut.map(({ title, heading, content }) => toSection(title, heading, content.join(''))),
  };
}

const sectionText = ({ heading, lead, text, tail }: Section): string => `${heading}${lead}${text}${tail}`;

export function joinSections({ preface, sections }: Body): string {
  return preface + sections.map(sectionText).join('');
}

/** Why a text under a heading would break out of its section; null when it would not. */
export function breaksOut(text: string): string | null {
  const fences = createFenceTracker();
  for (const line of linesOf(text)) {
    if (!fences.inside(line) && /^#{1,2}(?:[ \t]|\r?\n?$)/.test(line)) {
      return 'headings of level 1 and 2 start a new part of the document: use ### or deeper';
    }
  }
  return fences.open() ? 'a code block is not closed' : null;
}

const endedBy = (text: string, eol: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}${eol}`;

/** The text with the file's own line endings. */
export function withEol(text: string, eol: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, eol);
}

/** Replaces the text of a section and keeps everything around it. */
export function replaceText(section: Section, text: string, eol: string): Section {
  const tail = section.tail.startsWith('\n') || section.tail.startsWith('\r\n') ? section.tail : eol;
  const heading = endedBy(section.heading, eol);
  return { ...section, heading, lead: section.lead || eol, text, tail };
}

/** Ends a section with a blank line, so that another can follow; loses nothing. */
export function spaced(section: Section, eol: string): Section {
  const heading = endedBy(section.heading, eol);
  const tail = section.tail === '' ? eol : endedBy(section.tail, eol);
  return { ...section, heading, tail: /\n\r?\n$/.test(tail) ? tail : tail + eol };
}

/** A new section in Patina's own layout. */
export function newSection(title: string, text: string, eol: string): Section {
  return { title, heading: `## ${title}${eol}`, lead: eol, text, tail: eol };
}

const spacedText = (text: string, eol: string): string => {
  const ended = endedBy(text, eol);
  return ended === '' || /\n\r?\n$/.test(ended) ? ended : ended + eol;
};

/** Inserts a section into the body; adds a blank line where there is none. */
export function insertSection({ preface, sections }: Body, at: number, section: Section, eol: string): Body {
  const before = sections.slice(0, at).map((one, index) => (index === at - 1 ? spaced(one, eol) : one));
  const after = sections.slice(at);
  const added = after.length > 0 ? spaced(section, eol) : section;
  return {
    preface: at === 0 ? spacedText(preface, eol) : preface,
    sections: [...before, added, ...after],
  };
}
