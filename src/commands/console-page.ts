/** Where a page stands in the menu. */
export const groups = ["Work", "Money", "Settings"] as const;

/** A page of the console: a table that it opens with, and the commands of its families. */
export interface ConsolePage {
  path: string;
  title: string;
  group: (typeof groups)[number];
  /** A picture of the sprite. */
  icon: string;
  families: readonly string[];
  /** Id of the command whose answer the page shows. */
  opens?: string;
  /** Id of the command whose button is filled. */
  primary?: string;
  /** Kinds of entries of the audit trail, of which the newest stand below its table. */
  lately?: readonly string[];
  /** A member of the status that the menu counts, with a word for those who hear it. */
  count?: { of: "alarms" | "unknown_verifications" | "held"; tells: string };
  /** Opens with what is since the first of the month. */
  sinceMonth?: true;
  /** It is about whoever looks at it: the person's name leads to it. */
  isOwn?: true;
}

/** A page of a feature, before that of the core which people see after it; unless given, it comes last of its group. */
export interface FeaturePage extends ConsolePage {
  before?: string;
}

/** What a feature adds to the page of the core at this path. */
export interface PageAddition extends Partial<Pick<ConsolePage, "families" | "opens" | "primary" | "lately">> {
  path: string;
}
