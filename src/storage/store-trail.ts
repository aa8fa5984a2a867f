import { auditKind } from "../declare/audit-kind.ts";

/** Audit kinds of the store and its clock. */
export const storeTrail = {
  protectionLoosened: auditKind("protection.loosened", { process: "reference", before: "text", after: "text" }),
  storeMigrated: auditKind("store.migrated", { migrations: "number" }),
  clockAccepted: auditKind("clock.accepted", { time: "time", known_until: "time" }),
  retentionSwept: auditKind("retention.swept", { records: "number", keys: "number", verifications: "number" }),
  catalogueSwept: auditKind("catalogue.swept", { revisions: "number", drafts: "number" }),
};
