import { ownTrail } from "../audit/own-trail.ts";
import { catalogueTrail } from "../catalogue/catalogue-trail.ts";
import { serviceTrail } from "../commands/service-trail.ts";
import { accessTrail } from "../declare/access-trail.ts";
import type { DeclaredKind } from "../declare/audit-kind.ts";
import { features } from "../features.ts";
import { ledgerTrail } from "../ledger/ledger-trail.ts";
import { endpointTrail } from "../storage/events/endpoint-trail.ts";
import { moneyTrail } from "../storage/money-trail.ts";
import { storeTrail } from "../storage/store-trail.ts";

const ofFeatures = await Promise.all(features.map(({ auditEvents }) => auditEvents?.() ?? []));

/** Every kind of audit event, of the core and of its features. */
export const everyAuditKind: readonly DeclaredKind[] = [
  ...Object.values(accessTrail),
  ...Object.values(ledgerTrail),
  ...Object.values(moneyTrail),
  ...Object.values(storeTrail),
  ...Object.values(catalogueTrail),
  ...Object.values(endpointTrail),
  ...Object.values(serviceTrail),
  ...Object.values(ownTrail),
  ...ofFeatures.flat(),
];
