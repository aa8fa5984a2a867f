import { auditKind, journalOrder } from "../declare/audit-kind.ts";

/** The facts of a verification on the ledger. */
const verificationFacts = {
  reference: "reference",
  account: "reference",
  key: "reference",
  kind: "reference",
  mode: "reference",
  state: "reference",
  upstream: "reference",
  attempts: "number",
  charged: "flag",
  fee: "text",
  [journalOrder]: "place",
} as const;

/** The kinds of events about verifications and vendors in the audit trail. */
export const ledgerTrail = {
  verificationAttempted: auditKind("verification.attempted", {
    reference: "reference",
    account: "reference",
    key: "reference",
    kind: "reference",
    mode: "reference",
    upstream: "reference",
    attempt: "number",
    state: "reference",
    reason: "reference",
    [journalOrder]: "place",
  }),
  verificationSettled: auditKind("verification.settled", {
    reference: "reference",
    state: "reference",
    reason: "text",
  }),
  attemptSettled: auditKind("attempt.settled", {
    reference: "reference",
    attempt: "number",
    state: "reference",
    reason: "text",
  }),
  verificationNoted: auditKind("verification.noted", { reference: "reference", note: "text" }),
  booksRebuilt: auditKind("books.rebuilt", { sums: "number" }),
  routePaused: auditKind("route.paused", { vendor: "reference", kind: "reference", why: "reference", until: "time" }),
  routeResumed: auditKind("route.resumed", { vendor: "reference", kind: "reference" }),
  routeOrdered: auditKind("route.ordered", { kind: "reference", order: "text", before: "text", why: "text" }),
  verificationEnded: auditKind("verification.ended", verificationFacts),
  verificationCharged: auditKind("verification.charged", verificationFacts),
  verificationReversed: auditKind("verification.reversed", verificationFacts),
};
