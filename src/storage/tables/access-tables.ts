import { hourly, minutely, rowsBefore } from "../retention/retention-rule.ts";
import { allTables } from "../tables.ts";
import { table } from "./declared-table.ts";

/** Expired tokens are kept for a day, so that callers get "expired" and not "unknown". */
const tokensKept = 24 * hourly;
/** Longest life of a console session in milliseconds, however often it is used. */
export const sessionLife = 12 * hourly;

export const accessTables = {
  account: table({ columns: allTables.account, retention: "lasts", backup: {} }),
  api_key: table({ columns: allTables.api_key, retention: "lasts", backup: {} }),
  key_use: table({ columns: allTables.key_use, retention: "lasts", backup: {} }),
  access_token: table({
    columns: allTables.access_token,
    retention: () => [rowsBefore("access_token", "expires_at", { kept: (now) => now - tokensKept })],
    backup: {},
  }),
  person: table({ columns: allTables.person, retention: "lasts", backup: {} }),
  person_email_history: table({ columns: allTables.person_email_history, retention: "lasts", backup: {} }),
  passkey: table({ columns: allTables.passkey, retention: "lasts", backup: {} }),
  // A restore ends all sessions and invitations.
  console_session: table({
    columns: allTables.console_session,
    retention: () => [rowsBefore("console_session", "created_at", { kept: (now) => now - sessionLife })],
    backup: "none",
  }),
  person_invitation: table({
    columns: allTables.person_invitation,
    retention: () => [rowsBefore("person_invitation", "expires_at", { kept: (now) => now })],
    backup: "none",
  }),
  passkey_challenge: table({
    columns: allTables.passkey_challenge,
    // Anybody who opens the sign-in page creates a row.
    retention: () => [rowsBefore("passkey_challenge", "expires_at", { every: minutely, kept: (now) => now })],
    backup: "none",
  }),
};
