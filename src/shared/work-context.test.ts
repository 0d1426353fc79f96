import { describe, expect, it } from 'vitest';
import { ActiveWorkContext } from './work-context';

const header = { id: 'TPL-1', displayName: 'A template' };

describe('the active work context', () => {
  it('[AGN37-4-header-needs-type] has a type if it has an entity, and complete relations', () => {
    expect(ActiveWorkContext.safeParse({ entityHeader: header }).success).toBe(false);
    expect(ActiveWorkContext.safeParse({ entityType: 'email_template', entityHeader: header }).success).toBe(
      true,
    );
    const related = (relation: object) =>
      ActiveWorkContext.safeParse({ entityType: 't', entityHeader: header, relatedEntities: [relation] })
        .success;
    const whole = { entityType: 'persona', header, role: 'audience' };
    expect(related(whole)).toBe(true);
    expect(related({ ...whole, role: '' })).toBe(false);
    expect(related({ ...whole, entityType: undefined })).toBe(false);
    expect(related({ ...whole, header: { id: '', displayName: 'x' } })).toBe(false);
  });

  it('[AGN37-4-session-mode] has no field for a mode', () => {
    expect(ActiveWorkContext.safeParse({ mode: 'general' }).success).toBe(false);
  });
});
