import type { DoctorCheck } from '../app';
import type { LabelledArtifactStore } from '../../core/ports/sandbox';

const gigabyte = 1024 ** 3;

/**
 * The artifact check of `patina doctor`: reports nothing until a project's artifacts take a notable amount of
 * space.
 */
export function checkArtifacts({ list }: Pick<LabelledArtifactStore, 'list'>): readonly DoctorCheck[] {
  const listed = list();
  if (!listed.ok) return [{ name: 'artifacts', ok: false, detail: listed.error.message }];
  const bytes = listed.value.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= gigabyte) return [];
  const size = `${(bytes / gigabyte).toFixed(1)} GB in ${listed.value.length} files`;
  const detail = `${size}; Patina never deletes artifacts. You can delete the folder: earlier runs then show only their answers.`;
  return [{ name: 'artifacts', ok: true, detail }];
}
