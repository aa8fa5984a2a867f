/** The versions and the days of their releases, the oldest first. Null: not released yet. */
const days = { "0.1.0": "2026-11-26", "0.2.0": "2026-11-28" } as const;

/** What came after the first version names its own in `since`. */
export type Version = keyof typeof days;

export const versions: Readonly<Record<Version, string | null>> = days;

/** The version of everything that names none. */
export const firstVersion: Version = "0.1.0";
