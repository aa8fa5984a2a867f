/** A length of time as people write it. */
export const duration = {
  form: "a length of time, such as 500ms, 20s, 5min or 24h",
  /** Milliseconds. */
  read: (text: string): number | undefined => {
    const parts = /^(\d{1,6})(ms|s|min|h|d)$/.exec(text);
    const units = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
    return parts ? Number(parts[1]) * units[parts[2] as "s"] : undefined;
  },
};

/** A length of time of `least` or more. */
export const timeFrom = (least: string) => ({
  form: `a length of time of ${least} or more`,
  read: (text: string): number | undefined => {
    const milliseconds = duration.read(text);
    return milliseconds !== undefined && milliseconds >= duration.read(least)! ? milliseconds : undefined;
  },
});

/** A length of time of `most` or less. */
export const timeUpTo = (most: string) => ({
  form: `a length of time of at most ${most}, such as 20s, 5min or 24h`,
  hint: "5min, 24h or 7d",
  read: (text: string): number | undefined => {
    const milliseconds = duration.read(text);
    return milliseconds !== undefined && milliseconds <= duration.read(most)! ? milliseconds : undefined;
  },
});

/** How long what was rolled stays valid. For longer it would be a second secret, of which nobody thinks. */
export const overlapTime = timeUpTo("30d");

/** A length of time above 0. */
export const someTime = { form: duration.form, read: (text: string) => duration.read(text) || undefined };
