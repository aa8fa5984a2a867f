/** A duration as people write it. */
export const duration = {
  form: "a length of time, such as 500ms, 20s, 5min or 24h",
  /** Milliseconds. */
  read: (text: string): number | undefined => {
    const parts = /^(\d{1,6})(ms|s|min|h|d)$/.exec(text);
    const units = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
    return parts ? Number(parts[1]) * units[parts[2] as "s"] : undefined;
  },
};

/** A duration of at least `least`. */
export const timeFrom = (least: string) => ({
  form: `a length of time of ${least} or more`,
  read: (text: string): number | undefined => {
    const milliseconds = duration.read(text);
    return milliseconds !== undefined && milliseconds >= duration.read(least)! ? milliseconds : undefined;
  },
});

/** A duration of at most `most`. */
export const timeUpTo = (most: string) => ({
  form: `a length of time of at most ${most}, such as 20s, 5min or 24h`,
  hint: "5min, 24h or 7d",
  read: (text: string): number | undefined => {
    const milliseconds = duration.read(text);
    return milliseconds !== undefined && milliseconds <= duration.read(most)! ? milliseconds : undefined;
  },
});

/** How long a rotated secret stays valid. Beyond 30 days it would be a forgotten second secret. */
export const overlapTime = timeUpTo("30d");

/** A duration above 0. */
export const someTime = { form: duration.form, read: (text: string) => duration.read(text) || undefined };
