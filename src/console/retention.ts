import { sessionLife } from "../access/people/sessions.ts";
import { hourly, type RetentionRule, rowsBefore } from "../storage/retention/retention-rule.ts";

const countsKept = 35 * 24 * hourly;

/** The counts of minutes are kept for 35 days, and what a form did as long as a session. */
export const consoleRules: readonly RetentionRule[] = [
  rowsBefore("minute_outcome", "minute", { kept: (now) => now - countsKept }),
  rowsBefore("minute_duration", "minute", { kept: (now) => now - countsKept }),
  rowsBefore("sent_form", "at", { kept: (now) => now - sessionLife }),
];
