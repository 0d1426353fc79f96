const place = params.path === '.' ? 'the project folder' : `\`${fmt.fit(params.path, 30)}\``;
const unread = new Set();
let ignored = 0,
  files = 0,
  found = 0,
  copies = 0,
  wastedBytes = 0,
  atLeast = false,
  cursor;
const most = 10;
let top = [];
const lists = [];
const byWaste = (a, b) =>
  b.wastedBytes - a.wastedBytes || b.size - a.size || (a.paths[0] < b.paths[0] ? -1 : 1);
// One list per page: a script's memory holds a page, not all the groups of a large folder.
do {
  const page = await tools.project.find_duplicates({ path: params.path, ...(cursor && { cursor }) });
  cursor = page.nextCursor;
  files = page.files;
  ignored = page.skipped.ignored;
  for (const { path } of page.failed) unread.add(path);
  if (page.failed.length >= 1000) atLeast = true;
  const groups = page.groups.map(({ size, sha256, copies: all, paths }) => ({
    size,
    sha256,
    paths,
    ...(all > paths.length && { copies: all }),
    wastedBytes: size * (all - 1),
  }));
  groups.sort(byWaste);
  for (const { copies: all, paths } of groups) copies += (all ?? paths.length) - 1;
  for (const group of groups) wastedBytes += group.wastedBytes;
  found += groups.length;
  top = [...top, ...groups.slice(0, most)].sort(byWaste).slice(0, most);
  if (groups.length > 0) {
    const one = lists.length === 0 && cursor === undefined;
    const name = one ? 'duplicate-files.json' : `duplicate-files-${lists.length + 1}.json`;
    await artifacts.write(name, groups);
    lists.push(name);
  }
} while (cursor);
const many = ({ copies: all, paths }) => all ?? paths.length;

const biggest = [];
for (let room = 360; biggest.length < top.length;) {
  const { size, paths, wastedBytes: wasted } = top[biggest.length];
  const all = many(top[biggest.length]);
  const shown = paths.slice(0, all > 3 ? 2 : 3).map((path) => fmt.fit(path, 24));
  if (all > shown.length) shown.push(`and ${all - shown.length} more`);
  const row = { files: shown.join(', '), copies: all, size: fmt.bytes(size), wasted: fmt.bytes(wasted) };
  room -= fmt.tokens(row.files) + 26;
  if (room < 0 && biggest.length > 0) break;
  biggest.push(row);
}
const notes = [];
if (unread.size > 0)
  notes.push(
    `${atLeast ? 'At least ' : ''}${fmt.count(unread.size, 'file', 'files')} could not be read and ${unread.size === 1 ? 'is' : 'are'} not counted.`,
  );
if (ignored > 0) notes.push('What .gitignore leaves out was not looked at.');
if (found > biggest.length)
  notes.unshift(
    `The ${biggest.length} most wasteful groups are shown; all ${found} are in the attached ${lists.length > 1 ? 'lists' : 'list'}.`,
  );
const headline =
  found === 0
    ? `**No duplicate files** among ${fmt.count(files, 'file', 'files')} in ${place}.`
    : `**${fmt.count(found, 'group', 'groups')} of identical files** in ${place}: ${fmt.count(copies, 'copy', 'copies')} could go, ${fmt.bytes(wastedBytes)}${wastedBytes < 1000 ? '' : ` (${wastedBytes} bytes)`} in all. ${fmt.count(files, 'file', 'files')} looked at.`;
return {
  summary: `${fmt.count(files, 'file', 'files')}, ${fmt.count(found, 'group', 'groups')} of duplicates, ${fmt.count(copies, 'copy', 'copies')}, ${fmt.count(wastedBytes, 'byte', 'bytes')} wasted`,
  state: { files, groups: found, copies, wastedBytes, headline, biggest, note: notes.join(' ') },
};
