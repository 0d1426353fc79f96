/** Why a turn is stopped when Patina itself ends: its work can go on at the next start. */
export const closing = 'Patina ends';
