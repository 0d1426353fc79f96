const place = params.path === '.' ? 'the project folder' : `\`${fmt.fit(params.path, 30)}\``;
const folders = new Map();
const totals = { TODO: 0, FIXME: 0 };
let files = 0,
  searched = 0,
  binary = 0,
  unread = 0;
for (const word of ['TODO', 'FIXME']) {
  const found = await tools.project.search_text({
    query: `\\b${word}\\b`,
    regex: true,
    path: params.path,
    countBy: 'folder',
  });
  totals[word] = found.totalMatches;
  searched = found.filesSearched;
  binary = found.binary;
  unread = found.failed.length;
  for (const { path, matches } of found.counts) {
    const row = folders.get(path) ?? { folder: path, TODO: 0, FIXME: 0, total: 0 };
    row[word] += matches;
    row.total += matches;
    folders.set(path, row);
  }
}
const rows = [...folders.values()].sort((a, b) => b.total - a.total || (a.folder < b.folder ? -1 : 1));
const total = totals.TODO + totals.FIXME;
const byFolder = [];
for (let room = 320; byFolder.length < Math.min(20, rows.length);) {
  const row = { ...rows[byFolder.length], folder: fmt.fit(rows[byFolder.length].folder, 30) };
  room -= fmt.tokens(row.folder) + 22;
  if (room < 0 && byFolder.length > 0) break;
  byFolder.push(row);
}
const notes = [];
if (rows.length > byFolder.length)
  notes.push(
    `The ${byFolder.length} folders with the most are shown; all ${rows.length} are in the attached list.`,
  );
if (binary > 0) notes.push(`${fmt.count(binary, 'binary file was', 'binary files were')} passed over.`);
if (unread > 0)
  notes.push(
    `${fmt.count(unread, 'file', 'files')} could not be read and ${unread === 1 ? 'is' : 'are'} not counted.`,
  );
if (rows.length > 0) await artifacts.write('todos-by-folder.json', rows);
const headline =
  total === 0
    ? `**No TODO or FIXME** in ${fmt.count(searched, 'text file', 'text files')} of ${place}.`
    : `**${fmt.count(totals.TODO, 'TODO', 'TODOs')} and ${fmt.count(totals.FIXME, 'FIXME', 'FIXMEs')}** in ${fmt.count(rows.length, 'folder', 'folders')} of ${place}. ${fmt.count(searched, 'text file', 'text files')} searched.`;
return {
  summary: `${totals.TODO} TODO and ${totals.FIXME} FIXME in ${fmt.count(rows.length, 'folder', 'folders')}`,
  state: {
    total,
    todo: totals.TODO,
    fixme: totals.FIXME,
    folders: rows.length,
    files: searched,
    headline,
    byFolder,
    note: notes.join(' '),
  },
};
