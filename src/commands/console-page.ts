/** The groups of the console's menu. */
export const groups = ["Work", "Money", "Settings"] as const;

/** A page of the console: the table that it shows at first, and the command families that it offers. */
export interface ConsolePage {
  path: string;
  title: string;
  group: (typeof groups)[number];
  /** The name of an icon in the sprite file. */
  icon: string;
  families: readonly string[];
  /** Id of the command whose answer is the page's table. */
  opens?: string;
  /** Id of the command with the filled (main) button. */
  primary?: string;
  /** Kinds of audit entries. The page lists the newest ones below its table. */
  lately?: readonly string[];
  /** A number of the service's status, which the menu shows beside the page. `tells`: its unit, for screen readers. */
  count?: { of: "alarms" | "unknown_verifications" | "held"; tells: string };
  /** The page shows the current month at first. */
  sinceMonth?: true;
  /** The page is about the person who is signed in: the person's name in the head links to the page. */
  isOwn?: true;
}

/**
 * A page of a feature. `before`: the path of the core page that follows in the menu; without it, the page comes last in
 * its group.
 */
export interface FeaturePage extends ConsolePage {
  before?: string;
}

/** What a feature adds to the core's page at `path`. */
export interface PageAddition extends Partial<Pick<ConsolePage, "families" | "opens" | "primary" | "lately">> {
  path: string;
}
