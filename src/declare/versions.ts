/** Versions with their release days, oldest first. Null: not released. */
const days = { "0.1.0": "2026-11-26", "0.2.0": "2026-11-28" } as const;

/** Additions after the first version name their version in `since`. */
export type Version = keyof typeof days;

export const versions: Readonly<Record<Version, string | null>> = days;

/** The version of everything without `since`. */
export const firstVersion: Version = "0.1.0";
