/** @typedef {import('./measures.mjs').Measure} Measure */

const start = '<!-- measures: npm run measure -- --write -->';
const end = '<!-- /measures -->';

/** @param {string[]} head @param {(string | number)[][]} rows */
export const markdownTable = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** @param {readonly Measure[]} measures */
export const measureTable = (measures) =>
  markdownTable(
    ['measure', 'now', 'goal', ''],
    measures.map(({ name, value, goal, met }) => [
      name,
      value,
      goal ?? '',
      goal === undefined ? '' : met ? 'met' : 'missed',
    ]),
  );

/** The text of a document and of its table of measures. @param {string} document */
export function splitMeasures(document) {
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The document lacks ${start} … ${end}.`);
  const table = document.slice(from + start.length, to).trim();
  return { before: document.slice(0, from), table, after: document.slice(to + end.length) };
}

/** The document with a new table: measures that have a goal. @param {string} document @param {readonly Measure[]} measures */
export function withMeasures(document, measures) {
  const { before, after } = splitMeasures(document);
  return `${before}${start}\n\n${measureTable(measures.filter(({ goal }) => goal !== undefined))}\n\n${end}${after}`;
}
