import type { Ddr, DdrSearchHit } from '#shared/ddr';

const contextLength = 60;
const marks = /[\u0001\u0002]/g;

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Case-insensitive position of a text in another; -1 when absent. The match has the same
 * length as the wanted text.
 */
function indexOfText(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  // Some letters change length with case; then only an exact match can be highlighted.
  return lower.length === text.length ? lower.indexOf(wanted.toLowerCase()) : text.indexOf(wanted);
}

function snippet(text: string, wanted: string): string | null {
  const flat = text.normalize('NFC').replaceAll(marks, '').replaceAll(/\s+/g, ' ');
  const at = indexOfText(flat, wanted);
  if (at === -1) return null;
  const end = at + wanted.length;
  const before = flat.slice(Math.max(0, at - contextLength), at);
  const after = flat.slice(end, end + contextLength);
  const cut = { start: at > contextLength ? '…' : '', end: end + contextLength < flat.length ? '…' : '' };
  return `${cut.start}${before}\u0001${flat.slice(at, end)}\u0002${after}${cut.end}`;
}

interface SearchLocation {
  readonly chapterId: string | null;
  readonly place: string;
  readonly text: string;
}

function locationsIn(ddr: Ddr): readonly SearchLocation[] {
  const above = { chapterId: null };
  return [
    { ...above, place: 'id', text: ddr.id },
    { ...above, place: 'title', text: ddr.title },
    { ...above, place: 'summary', text: ddr.summary },
    { ...above, place: 'aliases', text: ddr.aliases.join(', ') },
    { ...above, place: 'goal', text: ddr.goal?.text ?? '' },
    ...ddr.chapters.flatMap(({ chapterId, title, summary, details }) => [
      { chapterId, place: title, text: title },
      { chapterId, place: title, text: summary },
      { chapterId, place: title, text: details },
    ]),
  ];
}

/** At most one hit per searched part of a document, in text order. */
export function searchDocument(ddr: Ddr, text: string): readonly DdrSearchHit[] {
  const wanted = text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
  if (folded(wanted) === '') return [];
  return locationsIn(ddr).flatMap(({ chapterId, place, text: content }) => {
    const found = snippet(content, wanted);
    return found === null ? [] : [{ id: ddr.id, title: ddr.title, chapterId, place, snippet: found }];
  });
}
