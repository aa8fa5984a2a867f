import { type FeatureRecords, mayBeId, mostFound, referenceForm } from "../../commands/records/record-kinds.ts";
import { type CheckKind, labelOf } from "../../declare/check-kind.ts";

/** Verifications, as people look them up. */
export const verificationRecords: FeatureRecords = {
  verification: {
    before: "account",
    show: "ledger.show",
    by: "reference",
    title: ({ kind, subject }) => `${labelOf(kind as CheckKind)} ending ${String(subject).replaceAll("*", "")}`,
    state: "state",
    meta: ["account", "created_at", "request_reference"],
    says: "explanation",
    panels: {
      Money: ["quoted_fee", "amount", "charged", "charge_left", "cost", "margin"],
      "Asked for": ["key_id", "mode", "kind", "consent_reference", "idempotency_key", "record"],
    },
    members: ["request_reference", "reference"],
    named: referenceForm,
    isAlone: true,
    search: async (text, ask) => {
      const ofIds = mayBeId(text) ? ["reference", "request_id", "consent"] : [];
      const members = /^\d{4}$/.test(text) ? ["last4"] : ["idempotency_key", ...ofIds];
      const found = await Promise.all(
        members.map((member) => ask("ledger.list", { [member]: text, limit: mostFound })),
      );
      return found
        .flat()
        .map((row) => ({ ...row, reference: row.request_reference, about: row.account, at: row.created_at }));
    },
  },
  account: { latest: ["ledger.list"] },
};
