import type { DoctorCheck } from '../app';
import type { ArtifactShelf } from '../../core/ports/sandbox';

const gigabyte = 1024 ** 3;

/** What `patina doctor` says of a project's artifacts: nothing until they take so much room that somebody may want to know. */
export function checkArtifacts({ list }: Pick<ArtifactShelf, 'list'>): readonly DoctorCheck[] {
  const listed = list();
  if (!listed.ok) return [{ name: 'artifacts', ok: false, detail: listed.error.message }];
  const bytes = listed.value.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= gigabyte) return [];
  const size = `${(bytes / gigabyte).toFixed(1)} GB in ${listed.value.length} files`;
  const detail = `${size}; none is ever collected. The folder can be deleted: runs of before then show no more than their answers.`;
  return [{ name: 'artifacts', ok: true, detail }];
}
