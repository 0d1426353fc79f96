import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeDocument } from './change-document';
import { withChapterText, withChapters, withGoal, withOrder } from './chapter-text';
import { readDocument, splitChapter, type DdrDocument } from './document';
import { changeFrontMatter, joinFrontMatter, readFrontMatter, splitFrontMatter } from './front-matter';
import { joinSections, splitSections } from './sections';

const read = (text: string): DdrDocument => {
  const document = readDocument({ file: 'AGN-014.md', origin: 'home', text });
  if (!document.ok) throw new Error(JSON.stringify(document.error));
  return document.value;
};

const apply = (document: DdrDocument, change: Parameters<typeof changeDocument>[1]): DdrDocument => {
  const changed = changeDocument(document, change);
  if (!changed.ok) throw new Error(JSON.stringify(changed.error));
  return changed.value.document;
};

const unknownLines = fc.constantFrom(
  'x-owner:   "Ada"   # who keeps it',
  "note: 'it''s'",
  'list:\n  - 1\n  -   two\n# a comment between',
  'folded: >-\n  one\n  two',
  'literal: |\n  # no comment\n   deeper\n\n  end',
  'empty:',
  '# only a comment',
  '',
  'flow: {a: [1, 2], "b c": ~}',
  'date: 2026-01-02',
  'ключ: значение',
);
const unknown = fc.uniqueArray(unknownLines, { maxLength: 6 });
const bodyLine = fc.oneof(
  fc.constantFrom(
    '',
    '# A title',
    '### Deeper',
    '```',
    '## In a block?',
    '---',
    '> quoted',
    '  indented',
    '~~~ts',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/[\r\n]/.test(text)),
);
const body = fc.array(bodyLine, { maxLength: 30 });
const eol = fc.constantFrom('\n', '\r\n');

const sample = fc
  .record({ before: unknown, after: unknown, body, eol, mark: fc.constantFrom('', '\uFEFF') })
  .map((made) => {
    const after = made.after.filter((text) => !made.before.includes(text));
    const lines = ['---', ...made.before, 'id: AGN-014', 'title: Modes', ...after, '---', ...made.body];
    return made.mark + lines.join('\n').replaceAll('\n', made.eol);
  });

describe('front matter', () => {
  it('[DDR-doc-bytes] any text equals the concatenation of its parts', () => {
    fc.assert(
      fc.property(fc.array(bodyLine, { maxLength: 40 }), eol, (lines, end) => {
        const text = lines.join(end);
        expect(joinSections(splitSections(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(sample, (text) => {
        const parts = splitFrontMatter(text);
        expect(parts.ok && joinFrontMatter(parts.value)).toBe(text);
      }),
    );
  });

  it('[DDR-doc-bytes] setting a key changes its own lines and no other byte', () => {
    fc.assert(
      fc.property(sample, fc.string({ maxLength: 40 }), (text, title) => {
        const parts = splitFrontMatter(text);
        if (!parts.ok) throw new Error(parts.error.reason);
        const changed = changeFrontMatter(parts.value, { title, status: 'draft' });
        if (!changed.ok) throw new Error(changed.error.reason);
        const values = readFrontMatter(changed.value.yaml);
        expect(values.ok && values.value).toMatchObject({ title, status: 'draft', id: 'AGN-014' });
        expect(changed.value.body).toBe(parts.value.body);
        const [head = '', tail = ''] = parts.value.yaml.split(/^title: Modes\r?\n?/m);
        expect(changed.value.yaml.startsWith(head)).toBe(true);
        expect(changed.value.yaml.slice(head.length)).toContain(tail);
      }),
      { numRuns: 300 },
    );
  });

  it('[DDR-doc-bytes] without a change the text is the same; removing a key keeps the comments around it', () => {
    const text = '---\n# top\nid: AGN-014 # mine\ntitle: A\n\n# about b\nb:   1\n---\nBody';
    const parts = splitFrontMatter(text);
    if (!parts.ok) throw new Error('no front matter');
    expect(changeFrontMatter(parts.value, { title: 'A' })).toEqual(parts);
    const without = changeFrontMatter(parts.value, { title: undefined });
    expect(without.ok && without.value.yaml).toBe('# top\nid: AGN-014 # mine\n\n# about b\nb:   1\n');
  });

  it.each([
    ['{id: AGN-014, title: A}', 'layout'],
    ['? id\n: AGN-014\ntitle: A', 'layout'],
  ])('is not rewritten when its layout cannot be edited safely: %s', (yaml, rule) => {
    const parts = splitFrontMatter(`---\n${yaml}\n---\n`);
    if (!parts.ok) throw new Error('no front matter');
    expect(changeFrontMatter(parts.value, { status: 'draft' })).toMatchObject({ ok: false, error: { rule } });
  });

  it.each([
    ['no fence', 'id: AGN-014', 'front-matter'],
    ['no end', '---\nid: AGN-014\n', 'front-matter'],
    ['a list', '---\n- 1\n---\n', 'yaml'],
    ['broken', '---\na: [1\n---\n', 'yaml'],
    ['a key twice', '---\nid: AGN-014\nid: AGN-015\n---\n', 'yaml'],
    ['aliases without end', `---\na: &a [1,2]\n${'b: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n'}---\n`, 'yaml'],
  ])('[DDR-doc-broken] reports the problem: %s', (_name, text, rule) => {
    const document = readDocument({ file: 'x.md', origin: 'home', text });
    expect(document).toMatchObject({ ok: false, error: { file: 'x.md', rule } });
  });

  it.each([
    ['id', '---\nid: agn-14\ntitle: A\n---\n'],
    ['id', '---\ntitle: A\n---\n'],
    ['title', '---\nid: AGN-014\ntitle: 2026\n---\n'],
    ['status', '---\nid: AGN-014\ntitle: A\nstatus: done\n---\n'],
    ['tla', '---\nid: AGN-014\ntla: SYS\ntitle: A\n---\n'],
    ['approvedBy', '---\nid: AGN-014\ntitle: A\nstatus: approved\n---\n'],
    ['approvedAt', '---\nid: AGN-014\ntitle: A\nstatus: approved\napprovedBy: Ada\n---\n'],
    ['workflows.create_ddr', '---\nid: AGN-014\ntitle: A\nworkflows:\n  create_ddr: 1\n---\n'],
    [
      'chapters',
      '---\nid: AGN-014\ntitle: A\nchapters:\n  - {id: C1, title: a}\n  - {id: C1, title: b}\n---\n',
    ],
  ])('[DDR-doc-broken] reports the field: %s', (field, text) => {
    const document = readDocument({ file: 'x.md', origin: 'home', text });
    expect(document).toMatchObject({ ok: false, error: { field } });
  });
});

const plain = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '### Sub',
        '- item',
        '> quoted',
        '```\n## code\n```',
        '1. one\n\n    ## four spaces',
        '~~~\n# x\n~~~',
      ),
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
        .map((text) => `w${text.replaceAll(/[\r\n`~#>]/g, ' ')}`),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((lines) => lines.join('\n\n').trim());
const title = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
  .map((text) => `T ${text.replaceAll('#', '')}`.trim());
const short = fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((text) => `s${text}`.trim());

describe('chapters', () => {
  it('[DDR-doc-bytes] a written chapter reads back the same, and every other section keeps its bytes', () => {
    fc.assert(
      fc.property(sample, title, short, plain, (text, name, summary, details) => {
        const before = read(text);
        const body = withChapters(before, [{ title: name, summary, details }]);
        const made = changeDocument(before, { body });
        // Nothing can be added below an unclosed code block.
        if (!made.ok) {
          expect(made.error.rule).toBe('code-block');
          return;
        }
        const changed = made.value.document;
        expect(changed.ddr.chapters.at(-1)).toMatchObject({ title: name, summary, details, status: 'draft' });
        const old = before.body.sections.map((section) => section.heading + section.lead + section.text);
        const now = changed.body.sections.map((section) => section.heading + section.lead + section.text);
        expect(now.slice(0, Math.max(0, old.length - 1))).toEqual(old.slice(0, -1));
        expect(changed.parts.body.startsWith(before.parts.body)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('keep their ids by their titles, also when they change places', () => {
    const before = read(
      '---\nid: AGN-014\ntitle: A\n---\n# A\n\n## One\n\n> s\n\n## Goal\n\ng\n\n---\n\n## Two\nno end',
    );
    expect(before.ddr.chapters.map(({ chapterId }) => chapterId)).toEqual(['C1', 'C2']);
    const moved = apply(before, { body: withOrder(before, [2, 0]), chapterIds: ['C2', 'C1'] });
    expect(moved.ddr.chapters.map(({ chapterId, title: name }) => [chapterId, name])).toEqual([
      ['C2', 'Two'],
      ['C1', 'One'],
    ]);
    expect(moved.ddr.goal?.text).toBe('g');
    expect(moved.parts.body).toContain('## Goal\n\ng\n\n---\n\n## One');
  });

  it('[DDR-doc-bytes] a rewritten chapter keeps the rule and the blank lines around it', () => {
    const text =
      '---\r\nid: AGN-014\r\ntitle: A\r\n---\r\n## One\r\n\r\nold\r\n\r\n---\r\n\r\n## Two\r\nlast';
    const before = read(text);
    const part = { title: 'One', summary: 'short', details: 'a\n\nb' };
    const after = apply(before, { body: withChapterText(before, 0, part) });
    expect(after.parts.body).toBe('## One\r\n\r\n> short\r\n\r\na\r\n\r\nb\r\n\r\n---\r\n\r\n## Two\r\nlast');
    expect(after.ddr.chapters[0]).toMatchObject({ summary: 'short', details: 'a\n\nb' });
  });

  it('details that begin with a quotation are not read as the summary', () => {
    const before = read('---\nid: AGN-014\ntitle: A\n---\n## One\n\nold\n');
    const part = { title: 'One', summary: '', details: '> a quotation' };
    const after = apply(before, { body: withChapterText(before, 0, part) });
    expect(after.ddr.chapters[0]).toMatchObject({ summary: '', details: '> a quotation' });
    expect(splitChapter('> a\n> b\n\n\n> c')).toEqual({ summary: 'a\nb', details: '> c' });
  });

  it('a heading in a code block does not start a chapter', () => {
    const one = read(
      '---\nid: AGN-014\ntitle: A\n---\n## One\n\n```md\n## Not\n```\n\n~~~\n```\n## Nor\n~~~\n',
    );
    expect(one.ddr.chapters).toHaveLength(1);
  });

  it.each([
    ['blank lines', '\n'.repeat(500_000)],
    ['one line of spaces', ' '.repeat(500_000)],
    ['rules', '---   \n'.repeat(100_000)],
    ['a heading of spaces', `## ${' '.repeat(500_000)}`],
    ['a fence without end', `\`\`\`${'\r'.repeat(500_000)}`],
  ])('[DDR-doc-hostile] half a million characters of %s are read without delay', (_name, filler) => {
    const text = `---\nid: AGN-014\ntitle: A\n---\n## One\n${filler}x\n`;
    expect(joinSections(read(text).body)).toBe(text.slice(text.indexOf('## One')));
  });

  it('a goal is placed above the chapters', () => {
    const before = read('---\nid: AGN-014\ntitle: A\n---\n# A\n## One\n');
    const after = apply(before, { body: withGoal(before, 'Say why.') });
    expect(after.parts.body).toBe('# A\n\n## Goal\n\nSay why.\n\n## One\n');
    expect(after.ddr.goal).toEqual({ text: 'Say why.', status: 'draft', approval: null });
  });
});
