import { accessRules } from "./access/retention.ts";
import { auditRules } from "./audit/retention.ts";
import { catalogueRules } from "./catalogue/revisions/retention.ts";
import type { Config } from "./config/read-config.ts";
import { consoleRules } from "./console/retention.ts";
import { eventRules } from "./events/retention.ts";
import { ledgerRules } from "./identity/retention/retention.ts";
import { requestRules } from "./requests/retention.ts";
import type { Audit } from "./storage/audited.ts";
import { type RetentionRule, rowsBefore } from "./storage/retention/retention-rule.ts";

/** How long everything is kept that has an end: the rules of every room. `sealKey`: of the audit trail. */
export function everyRule(
  { recordRetention, catalogueHistory: history, eventRetention, requestLog }: Config,
  sealKey: Buffer,
  audit: Audit,
): readonly RetentionRule[] {
  return [
    ...ledgerRules({ recordRetention }),
    ...auditRules(sealKey),
    ...catalogueRules({ audit, history }),
    ...eventRules(eventRetention),
    ...requestRules(requestLog),
    ...accessRules,
    ...consoleRules,
    rowsBefore("alarm_acknowledgement", "until", { kept: (now) => now }),
  ];
}
