import { useMirror } from '../../store/app-context';
import { lazyPart } from '../../ui/lazy-part';

const ElicitationForm = lazyPart(async () => (await import('./elicitation-form')).ElicitationForm);

/** The oldest pending elicitation, above the composer. */
export function ElicitationCard() {
  const elicitations = useMirror((mirror) => mirror.elicitations);
  const [first] = elicitations;
  return first ? (
    <ElicitationForm key={first.id} elicitation={first} behind={elicitations.length - 1} />
  ) : null;
}
