import { getDocumentProxy } from 'unpdf';

/** What became of a PDF: its text, or why it has none. */
export type PdfAnswer =
  { readonly text: string } | { readonly problem: 'damaged' | 'password' | 'no-text' | 'too-long' };

/** Pages beyond this number are not read: nobody sends them to a model at once. */
const maxPages = 2_000;

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : '');

/**
 * The text of a PDF, page by page, each under a line with its number. Runs no script of the file, and loads
 * nothing from elsewhere. `maxLength` in UTF-16 units.
 */
export async function pdfText(bytes: Uint8Array, maxLength: number): Promise<PdfAnswer> {
  try {
    const pdf = await getDocumentProxy(bytes, {
      isEvalSupported: false,
      enableXfa: false,
      stopAtErrors: false,
      useSystemFonts: false,
      verbosity: 0,
    });
    if (pdf.numPages > maxPages) return { problem: 'too-long' };
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = items
        .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
        .join('')
        .replaceAll('\0', '')
        .trim();
      page.cleanup();
      if (text === '') continue;
      length += text.length;
      if (length > maxLength) return { problem: 'too-long' };
      pages.push(`[Page ${number}]\n${text}`);
    }
    return pages.length === 0 ? { problem: 'no-text' } : { text: pages.join('\n\n') };
  } catch (thrown) {
    return { problem: nameOf(thrown) === 'PasswordException' ? 'password' : 'damaged' };
  }
}
