import { hourly, minutely, type RetentionRule, rowsBefore } from "../storage/retention/retention-rule.ts";
import { sessionLife } from "./people/sessions.ts";

/** We keep expired tokens for a day, so that callers get "expired" instead of "unknown". */
const tokensKept = 24 * hourly;

/** Tokens, sessions, invitations and challenges that have ended go. */
export const accessRules: readonly RetentionRule[] = [
  rowsBefore("access_token", "expires_at", { kept: (now) => now - tokensKept }),
  rowsBefore("console_session", "created_at", { kept: (now) => now - sessionLife }),
  rowsBefore("person_invitation", "expires_at", { kept: (now) => now }),
  // A stranger who opens the page to sign in makes one.
  rowsBefore("passkey_challenge", "expires_at", { every: minutely, kept: (now) => now }),
];
