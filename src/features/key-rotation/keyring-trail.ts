import { auditKind } from "../../declare/audit-kind.ts";

/** What the audit trail tells of the key ring. */
export const keyringTrail = {
  rotated: auditKind("keyring.rotated", { keys: "text" }),
  rewrapped: auditKind("keyring.rewrapped", { key: "reference", records: "number" }),
  retired: auditKind("keyring.retired", { key: "reference" }),
};
