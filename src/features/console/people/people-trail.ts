import { auditKind } from "../../../declare/audit-kind.ts";

/** Audit kinds of the console's people. */
export const peopleTrail = {
  personInvited: auditKind("person.invited", { person: "reference", email: "text", role: "reference" }),
  passkeyRemoved: auditKind("passkey.removed", { person: "reference", name: "text", passkey: "reference" }),
  sessionEnded: auditKind("session.ended", { person: "reference", sessions: "number" }),
  personChanged: auditKind("person.changed", {
    person: "reference",
    changed: "text",
    role: "reference",
    former_email: "text",
    email: "text",
  }),
  personRemoved: auditKind("person.removed", { person: "reference", email: "text" }),
  consoleSignedIn: auditKind("console.signed_in", { person: "reference" }),
  consoleSignedOut: auditKind("console.signed_out", { person: "reference" }),
  consoleRefused: auditKind("console.refused", { person: "reference", reason: "reference", command: "reference" }),
};
