import { auditKind } from "../../declare/audit-kind.ts";

/** The kinds of events about the key ring in the audit trail. */
export const keyringTrail = {
  rotated: auditKind("keyring.rotated", { keys: "text" }),
  rewrapped: auditKind("keyring.rewrapped", { key: "reference", records: "number" }),
  retired: auditKind("keyring.retired", { key: "reference" }),
};
