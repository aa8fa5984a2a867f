/** The kinds of faults in a simulation. */
export const faultKinds = [
  "death",
  "death later",
  "store away",
  "store slow",
  "reply lost",
  "vendor",
  "late answers",
  "retries cut off",
  "clock",
  "sleep",
  "freeze",
  "stop",
  "zone",
] as const;

export type FaultKind = (typeof faultKinds)[number];
